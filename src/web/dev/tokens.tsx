import styles from './ui-page.module.css';

/** The custom properties that tokens.css declares, so that this page cannot miss one. */
function listDeclaredTokens(): string[] {
  return [...document.styleSheets].flatMap((sheet) =>
    [...sheet.cssRules].flatMap((rule) =>
      rule instanceof CSSStyleRule && rule.selectorText === ':root'
        ? [...rule.style].filter((name) => name.startsWith('--'))
        : [],
    ),
  );
}

const listTokens = (kind: string) =>
  listDeclaredTokens().filter((name) => name.startsWith(`--${kind}-`));

/** Whether a token is a color: the browser rejects any other value as a background color. */
function isColor(token: string): boolean {
  const probe = document.createElement('span');
  probe.style.backgroundColor = `var(${token})`;
  document.body.append(probe);
  const { backgroundColor } = getComputedStyle(probe);
  probe.remove();
  return backgroundColor !== 'rgba(0, 0, 0, 0)';
}

const grounds = ['background', 'surface', 'raised', 'accent-soft'];

export function Colors() {
  return (
    <>
      <ul className={styles.grid}>
        {listDeclaredTokens()
          .filter(isColor)
          .map((name) => (
            <li key={name} className={styles.swatch}>
              <span className={styles.color} style={{ background: `var(${name})` }} />
              <code>{name}</code>
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
      {listTokens('size').map((name) => (
        <p key={name} style={{ fontSize: `var(${name})` }}>
          <code>{name}</code> The room opens at 09:05 and closes at 10:20.
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
      {listTokens('radius').map((name) => (
        <li
          key={name}
          className={styles.shape}
          style={{ borderRadius: `var(${name})`, boxShadow: 'var(--shadow)' }}
        >
          <code>{name}</code>
        </li>
      ))}
    </ul>
  );
}
