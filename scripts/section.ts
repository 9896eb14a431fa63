/** A part of a document that a script writes, between two marks. Pure. */

export interface Section {
  readonly begin: string;
  readonly end: string;
}

/** The document with the text between the marks. Throws if the document does not contain both marks. */
export function withSection(document: string, { begin, end }: Section, text: string): string {
  const [before, rest] = document.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`the document has no ${begin} … ${end}`);
  return `${before}${begin}\n\n${text}\n${end}${after}`;
}
