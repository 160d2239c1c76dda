import { Component, type ReactNode } from 'react';
import { Button } from '#web/ui/button.tsx';
import { PlainPage } from '#web/ui/plain-page.tsx';

/** Catches render errors. The most common cause is a screen whose code could not be fetched. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    return (
      <PlainPage text="This page could not be shown. Please check your connection and try again.">
        <Button variant="primary" onClick={() => location.reload()}>
          Try again
        </Button>
      </PlainPage>
    );
  }
}
