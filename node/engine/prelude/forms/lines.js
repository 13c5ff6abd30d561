// Texts of forms: line ends and escapes, without regular expressions.
/** A text with all occurrences of `part` replaced. (The language's own asks the action's symbols.) */
const replaced = (text, part, by) => {
  let at = indexOf(text, part);
  if (at < 0) return text;
  const pieces = list();
  let from = 0;
  for (; at >= 0; at = indexOf(text, part, from)) {
    append(pieces, substring(text, from, at));
    from = at + part.length;
  }
  append(pieces, substring(text, from));
  return join(pieces, by);
};

/** A text whose lines, ended by CR, LF or both, end with `end`. */
const withLineEnds = (text, end) => {
  const lines = replaced(replaced(text, "\r\n", "\n"), "\r", "\n");
  return end === "\n" ? lines : replaced(lines, "\n", end);
};
