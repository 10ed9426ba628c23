// A search consists of words, phrases in quotes, and regular expressions between slashes, all of which must occur. `op:`, `name:`, `type:`
// or `source:` before one of them limits it to this field.
const searchTerm = /(?:(name|op|type|source):)?(?:\/((?:[^\/\\]|\\.)+)\/|"([^"]*)"|(\S+))/gy;

// Returns a predicate for instructions, or null for an empty search. Throws SyntaxError.
function searchFor(text) {
  const terms = [];
  searchTerm.lastIndex = 0;
  for (let rest = text.trim(); rest !== ""; rest = rest.slice(searchTerm.lastIndex).trimStart()) {
    searchTerm.lastIndex = 0;
    const [, field, expression, quoted, word] = searchTerm.exec(rest) || [];
    if (expression !== undefined) {
      terms.push({ field, expression: new RegExp(expression, "i") });
    } else {
      terms.push({ field, expression: new RegExp((quoted ?? word ?? rest).replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i") });
    }
    if (searchTerm.lastIndex === 0) {
      break;
    }
  }
  if (terms.length === 0) {
    return null;
  }
  return instruction => terms.every(term => term.expression.test(searchedText(instruction, term.field)));
}
