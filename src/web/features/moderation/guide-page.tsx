import { Link } from '#web/ui/navigation.tsx';
import { TabPage } from '#web/ui/tabbed-screen.tsx';
import styles from './guide-page.module.css';

/** What a moderator has to know, on one page. docs/moderate.md says the same with pictures. */
export function GuidePage() {
  return (
    <TabPage label="Guide" className={styles.column}>
      <h2>What moderators do</h2>
      <p>
        Members report messages and people. <Link to="/moderation">Cases</Link> lists these reports
        for the classes that you moderate. You decide each case, and say why.
      </p>
      <ul>
        <li>You see anonymous names, as everyone does. You never learn who someone is.</li>
        <li>No one in the class sees that you moderate, or that you decided.</li>
        <li>
          Reports about you go to others: you do not see them. Who reported a message stays secret.
        </li>
      </ul>
      <h2>Decide a case</h2>
      <ol>
        <li>Read the reports, the message, and what was said before and after it.</li>
        <li>
          Choose: keep the message, remove it, mute the person for an hour, a day or a week, or
          remove the person from the class. What you reported yourself, you do not decide with a
          removal from the class.
        </li>
        <li>Write a reason. The person concerned reads it, but not your name.</li>
        <li>
          You can undo the decision for ten seconds. Later, ‘Decided’ has the case: ‘Lift’ ends a
          mute or a removal from the class. A removed message cannot come back.
        </li>
        <li>
          Then the app tells the person concerned, and those who reported it. Reporters do not learn
          your reason.
        </li>
      </ol>
      <p>
        Press <kbd>j</kbd> and <kbd>k</kbd> for the next and the previous case, <kbd>1</kbd> to{' '}
        <kbd>5</kbd> for a decision, <kbd>Enter</kbd> to save, and <kbd>u</kbd> to undo.
      </p>
      <h2>If someone may be in danger</h2>
      <p>
        Help comes first: call the emergency services or the security of the university. Then
        escalate the case, so that operators see it.
      </p>
      <h2>If no one reported a message</h2>
      <p>
        Join the class, report the message yourself, and decide the case. Messages that repeat what
        you removed, such as a name, are separate.
      </p>
      <h2>Escalate</h2>
      <p>
        Operators can suspend the account behind a person without learning whose it is. Escalate a
        case if a mute or a removal from the class is not enough.
      </p>
      <h2>Appeals</h2>
      <p>
        Who was muted or removed can appeal once. Someone else than the one who decided keeps or
        lifts the sanction, if there is anyone else.
      </p>
    </TabPage>
  );
}
