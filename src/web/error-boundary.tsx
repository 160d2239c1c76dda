import { Component, type ReactNode } from 'react';

interface Props {
  children: ReactNode;
  /** Replaces the children after one of them failed. Its argument shows them again. */
  renderFallback: (retry: () => void) => ReactNode;
  /** The children are shown again when this changes. */
  resetKey?: unknown;
}

/** Keeps the failure of its children from the rest of the page. The root of the page reports it. */
export class ErrorBoundary extends Component<Props, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override componentDidUpdate(previous: Props) {
    if (this.state.hasFailed && previous.resetKey !== this.props.resetKey) this.retry();
  }

  retry = () => this.setState({ hasFailed: false });

  override render() {
    return this.state.hasFailed ? this.props.renderFallback(this.retry) : this.props.children;
  }
}

/** What the page works without, such as a hint. If it fails, it is missing until `resetKey` changes. */
export function Optional({ children, resetKey }: Pick<Props, 'children' | 'resetKey'>) {
  return (
    <ErrorBoundary renderFallback={() => null} resetKey={resetKey}>
      {children}
    </ErrorBoundary>
  );
}
