import styles from './upload-bar.module.css';

/** The upload progress at the bottom of a picture. */
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
