// Questions as students ask them in a lecture: short and long ones, with formulas, code, names and other scripts.

const texts = [
  'why is the inner loop logarithmic?',
  'is this part of the exam?',
  'where does the factor $\\frac{1}{2}$ come from? In the script it is missing, and the exercise from last week uses $n \\log n$ without it',
  'could you repeat the step from the second to the third line? I lost you when the sum was replaced by the integral, and I do not see why the bound still holds for small $n$. Does it need that the function is monotonic, or is continuity enough? The book (page 214) has both conditions.',
  'what does `std::move` do if the type has no move constructor?',
  'which chapter of the book is this?',
  'gilt das auch für gerichtete Graphen, in denen es Zyklen mit negativem Gewicht gibt?',
  'ما الفرق بين هذه الخوارزمية والسابقة؟',
  'is the slide wrong? The table says O(n) and you said O(n²)',
  'why??',
  'can we use the theorem without the proof in the homework?',
  'how would this look with three variables instead of two?',
  'does “stable” mean the same here as for sorting?',
  'is there a recording?',
  'what happens if both threads take the lock at the same time, and neither of them gives it back?',
  'see https://en.wikipedia.org/wiki/Master_theorem_(analysis_of_algorithms)#Inadmissible_equations, does the third case need the regularity condition?',
];

/** The text of a question, which begins with its number. */
export function createQuestionText(number: number): string {
  return `On slide ${number}: ${texts[number % texts.length]}`;
}
