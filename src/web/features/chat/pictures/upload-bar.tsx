import styles from './upload-bar.module.css';

/** How far an upload is, at the foot of its picture. */
export function UploadBar({ share }: { share: number }) {
  return (
    <span
      className={styles.bar}
      style={{ '--share': share }}
      role="progressbar"
      aria-label="Uploading the picture"
      aria-valuenow={Math.round(share * 100)}
    />
  );
}
