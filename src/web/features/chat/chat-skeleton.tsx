import { getText } from '#web/get-text.ts';
import { Skeleton } from '#web/ui/skeleton.tsx';
import styles from './chat.module.css';

const lines = ['62%', '38%', '71%', '45%', '54%'];

export function ChatSkeleton() {
  return (
    <div className={styles.waiting} role="status" aria-label={getText('chat.list.loading')}>
      {lines.map((width) => (
        <div className="row start" key={width}>
          <Skeleton width={36} height={36} />
          <div className="stack-s grow">
            <Skeleton width={96} />
            <Skeleton width={width} />
          </div>
        </div>
      ))}
    </div>
  );
}
