/** What staff do here, until the class has its first lecture. */
export function StaffSteps() {
  return (
    <section className="card stack-s" aria-label="First steps">
      <p>
        <strong>Your lecture, from here</strong>
      </p>
      <p>
        Start it when the hour begins. Students then ask while you speak, and vote for the questions
        that they have too. The screen of the hall shows them.
      </p>
      <p className="meta">
        In the chat, you choose for each message whether it has your own name or an anonymous one.
      </p>
    </section>
  );
}
