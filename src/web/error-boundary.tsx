import { Component, type ReactNode } from 'react';

interface Props {
  children: ReactNode;
  /** Replaces the children after one of them failed. `retry` shows them again. Null: nothing replaces them. */
  renderFallback: ((retry: () => void, error: unknown) => ReactNode) | null;
  /** The children are shown again when this changes. */
  resetKey?: unknown;
}

/** Keeps the failure of its children from the rest of the page. The root of the page reports it. */
export class ErrorBoundary extends Component<Props, { hasFailed: boolean; error: unknown }> {
  override state = { hasFailed: false, error: null };

  static getDerivedStateFromError(error: unknown) {
    return { hasFailed: true, error };
  }

  override componentDidUpdate(previous: Props) {
    if (this.state.hasFailed && previous.resetKey !== this.props.resetKey) this.retry();
  }

  retry = () => this.setState({ hasFailed: false });

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return this.props.renderFallback?.(this.retry, this.state.error) ?? null;
  }
}

/** Contains a part that the page can do without, such as a hint. If the part fails, it is missing until `resetKey` changes. */
export function Optional({ children, resetKey }: Pick<Props, 'children' | 'resetKey'>) {
  return (
    <ErrorBoundary renderFallback={null} resetKey={resetKey}>
      {children}
    </ErrorBoundary>
  );
}

const explainedErrors = new WeakSet<Error>();

/** Whether a text on the page already says what failed. */
export function isExplained(error: unknown): boolean {
  return error instanceof Error && explainedErrors.has(error);
}

/** Reports an exception that a boundary has caught, like all others. For `onCaughtError` of React. */
export function reportCaughtError(error: unknown, info: { errorBoundary?: Component | undefined }) {
  const boundary = info.errorBoundary;
  const hasFallback = boundary instanceof ErrorBoundary && boundary.props.renderFallback !== null;
  if (hasFallback && error instanceof Error) explainedErrors.add(error);
  reportError(error);
}
