/** A run of code in one colour. Text only: no markup crosses from the worker to the page. */
export interface CodeToken {
  readonly text: string;
  /** A class of the style sheet, or "" for plain text. */
  readonly className: string;
}
