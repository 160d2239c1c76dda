import { lazy, Suspense } from 'react';
import { Link } from 'react-router';
import { classLabel } from '#contract/class-label.ts';
import type { Class } from '#contract/entities.ts';
import { useDialogs } from '#web/ui/dialogs.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { useLongPress } from '#web/ui/use-long-press.ts';
import { shareClass } from './share-class.ts';
import { useLeave } from './use-leave.ts';
import styles from './class-list.module.css';

/** Resolves when the browser has nothing better to do. */
const idle = () =>
  new Promise<unknown>((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(resolve, { timeout: 1500 });
    else setTimeout(resolve, 300);
  });

// Not needed for the first message; fetched right after it, long before anybody presses it.
const ClassOptions = lazy(async () => {
  await idle();
  const module = await import('./class-options.tsx');
  return { default: module.ClassOptions };
});

export function ClassRow({ of, open }: { of: Class; open: boolean }) {
  const dialogs = useDialogs();
  const leave = useLeave();
  const label = classLabel(of);
  const about = of.courseName?.trim();
  const pressed = useLongPress(() => {
    void dialogs.confirm(`Do you want to remove ${label} from your classes?`).then((yes) => {
      if (yes) leave(of);
    });
  });
  const optionsLabel = `Options for ${label}`;
  return (
    <div className={styles.row} {...pressed}>
      <Link
        className={styles.link}
        to={`/home/${of.classId}`}
        aria-current={open ? 'page' : undefined}
        draggable={false}
      >
        <span className={styles.label}>{label}</span>
        {about && about.toUpperCase() !== label && (
          <span className={styles.about} dir="auto">
            {about}
          </span>
        )}
      </Link>
      <div className={styles.options}>
        <Suspense fallback={<IconButton icon="more" label={optionsLabel} />}>
          <ClassOptions
            label={optionsLabel}
            onDelete={() => leave(of)}
            onShare={() => void shareClass(of.classId, label, dialogs)}
          />
        </Suspense>
      </div>
    </div>
  );
}
