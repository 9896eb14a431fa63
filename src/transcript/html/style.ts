/** The look of the page: readable in light and dark, on a phone and on paper. */

export const STYLE: string = `
:root { color-scheme: light dark; --text: #1c1e21; --dim: #5c636b; --page: #fbfbfa; --card: #ffffff; --line: #e2e3e5; --person: #2457a6; --agent: #7a4a12; --error: #b3261e; --code: #f3f3f1; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e5e7; --dim: #9aa1a9; --page: #17181a; --card: #1f2123; --line: #34373b; --person: #82aef2; --agent: #e0b070; --error: #f2857d; --code: #27292c; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1rem 4rem; max-width: 52rem; background: var(--page); color: var(--text); font: 16px/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; line-height: 1.3; margin: 0 0 .5rem; }
.facts { color: var(--dim); font-size: .8125rem; margin: 0 0 2rem; display: flex; flex-wrap: wrap; gap: .1rem 1.25rem; }
.facts div { display: flex; gap: .4rem; } .facts dt { opacity: .75; } .facts dd { margin: 0; color: var(--text); }
h2 { font-size: 1.1rem; margin: 2rem 0 .75rem; }
article { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .75rem 1rem; margin: 0 0 .75rem; }
article > header { color: var(--dim); font-size: .8125rem; margin-bottom: .35rem; display: flex; gap: .6rem; flex-wrap: wrap; align-items: baseline; }
article > header time { margin-left: auto; }
.person { border-left: 4px solid var(--person); } .person > header b { color: var(--person); }
.agent > header b { color: var(--agent); }
.tool { background: transparent; border-color: transparent; padding: 0 1rem; margin: -.5rem 0 .5rem; } .summary { border-style: dashed; }
.error, details.error > summary, details.denied > summary { border-color: var(--error); } .error > header b, details.error > summary { color: var(--error); }
.text > :first-child { margin-top: 0; } .text > :last-child { margin-bottom: 0; }
pre, code { font: .8125rem/1.5 ui-monospace, monospace; background: var(--code); border-radius: 4px; }
code { padding: .1em .3em; } pre code { padding: 0; }
pre { padding: .6rem .75rem; margin: .4rem 0; white-space: pre-wrap; max-height: 32rem; overflow: auto; }
pre.plain { font-family: inherit; font-size: .9rem; background: none; padding: 0; }
.thinking pre.plain { color: var(--dim); }
.person pre.plain, .error pre.plain { font-size: 1rem; margin: 0; } .note { margin: .4rem 0; }
article > :last-child { margin-bottom: 0; }
details { margin: .4rem 0; } summary { cursor: pointer; color: var(--dim); font-size: .875rem; }
details.hidden { margin: -.25rem 0 .25rem; padding: 0 1rem; } details.hidden + article { margin-top: .75rem; } details.hidden > article { margin-top: .4rem; }
img { max-width: 100%; min-width: 2rem; image-rendering: crisp-edges; height: auto; border-radius: 4px; display: block; margin: .4rem 0; }
table { border-collapse: collapse; display: block; overflow-x: auto; } td, th { border: 1px solid var(--line); padding: .25rem .5rem; }
blockquote { margin: .5rem 0; padding-left: .75rem; border-left: 3px solid var(--line); color: var(--dim); }
a { color: var(--person); } .address, .note, footer { color: var(--dim); font-size: .875rem; }
@media print { pre { max-height: none; } article { break-inside: avoid-page; } }
`;
