// For tests: React in the document of a test.
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, vi } from 'vitest';

/** Gives each test of the file an empty root in the document. After the test, the document is empty and no global is stubbed. */
export function setUpRoot(): { root: Pick<Root, 'render'>; container: HTMLElement } {
  const container = document.createElement('div');
  let root: Root;
  beforeEach(() => {
    vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
    root = createRoot(document.body.appendChild(container));
  });
  afterEach(async () => {
    await act(async () => root.unmount());
    document.body.replaceChildren();
    vi.unstubAllGlobals();
  });
  return { root: { render: (content) => root.render(content) }, container };
}

/** Waits until the expectation holds while replies arrive and React renders them. */
export async function waitForRender(expectation: () => void): Promise<void> {
  await vi.waitFor(async () => {
    await act(async () => undefined);
    expectation();
  });
}
