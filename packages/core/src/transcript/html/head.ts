/**
 * The beginning of every page that we write: only resources that the policy allows are loaded, and no address leaks.
 */

export interface PageHead {
  /** HTML. */
  readonly title: string;
  /** The Content-Security-Policy, without double quotes. */
  readonly policy: string;
  /** CSS of our own. */
  readonly style: string;
}

/** Ends with `<body>`. */
export function headToHtml({ title, policy, style }: PageHead): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
`;
}
