import styles from './ui-page.module.css';

const colours = [
  ...[
    'background',
    'surface',
    'raised',
    'text',
    'muted',
    'line',
    'line-strong',
    'hover',
    'pressed',
  ],
  ...['accent', 'accent-hover', 'accent-pressed', 'accent-text', 'accent-soft'],
  ...['danger', 'danger-text', 'danger-soft', 'positive', 'positive-soft', 'scrim'],
];

const grounds = ['background', 'surface', 'raised', 'accent-soft'];
const sizes = ['title', 'message', 'body', 'meta', 'time'];

export function Colours() {
  return (
    <>
      <ul className={styles.grid}>
        {colours.map((name) => (
          <li key={name} className={styles.swatch}>
            <span className={styles.colour} style={{ background: `var(--${name})` }} />
            <code>--{name}</code>
          </li>
        ))}
      </ul>
      {grounds.map((ground) => (
        <p key={ground} className={styles.ground} style={{ background: `var(--${ground})` }}>
          On <code>--{ground}</code>: text, <span className={styles.muted}>muted text</span>,{' '}
          <a href="#here">a link</a>.
        </p>
      ))}
    </>
  );
}

export function Type() {
  return (
    <>
      {sizes.map((name) => (
        <p key={name} style={{ fontSize: `var(--size-${name})` }}>
          <code>--size-{name}</code> The room opens at 09:05 and closes at 10:20.
        </p>
      ))}
      <h3 className={styles.heading}>A heading in the school’s heading font</h3>
      <p>
        Text with <strong>weight</strong> and <bdi>שלום</bdi> in it.
      </p>
    </>
  );
}

export function Shapes() {
  return (
    <ul className={styles.row}>
      {['s', 'm', 'l'].map((name) => (
        <li
          key={name}
          className={styles.shape}
          style={{ borderRadius: `var(--radius-${name})`, boxShadow: 'var(--shadow)' }}
        >
          <code>--radius-{name}</code>
        </li>
      ))}
    </ul>
  );
}
