/** The look of the page: readable in light and dark, on a phone and on paper. */

export const STYLE: string = `
:root { color-scheme: light dark; --text: #1c1e21; --dim: #5c636b; --page: #fbfbfa; --card: #ffffff; --line: #e2e3e5; --person: #2457a6; --agent: #7a4a12; --error: #b3261e; --code: #f3f3f1; --del: #fdecea; --ins: #e6f4e8; --found: #ffe08a; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e5e7; --dim: #9aa1a9; --page: #17181a; --card: #1f2123; --line: #34373b; --person: #82aef2; --agent: #e0b070; --error: #f2857d; --code: #27292c; --del: #45201e; --ins: #1c3a24; --found: #7a5c00; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 4rem; }
body { margin: 0 auto; padding: 2rem 1rem 4rem; max-width: 52rem; background: var(--page); color: var(--text); font: 16px/1.55 system-ui, sans-serif; overflow-wrap: break-word; display: flex; flex-direction: column; }
body > * { min-width: 0; } body > main { order: 3; } body > footer { order: 4; } body > nav { order: 1; margin: 0 0 1rem; } body > #search { order: 2; }
.miss, [hidden] { display: none !important; } ::highlight(found) { background-color: var(--found); color: inherit; }
#search { position: sticky; top: 0; z-index: 1; display: flex; gap: .5rem; align-items: center; padding: .5rem 0; margin: 0 0 .5rem; background: var(--page); }
#search input { flex: 1 1 8rem; min-width: 0; font: inherit; padding: .3rem .6rem; border: 1px solid var(--line); border-radius: 6px; background: var(--card); color: inherit; }
#search output { color: var(--dim); font-size: .8125rem; white-space: nowrap; } #search button { font: inherit; line-height: 1; padding: .4rem .6rem; border: 1px solid var(--line); border-radius: 6px; background: var(--card); color: inherit; cursor: pointer; }
nav ol { margin: .4rem 0 0; padding: 0 0 0 2.2em; font-size: .875rem; } nav li { margin: .15rem 0; color: var(--dim); } nav li.branch { list-style: none; font-weight: 600; } nav a { text-decoration: none; }
@media (min-width: 75rem) { body { max-width: 74rem; padding-left: 22rem; }
body > nav { position: fixed; top: 2rem; left: max(1rem, calc(50vw - 36rem)); width: 19rem; max-height: calc(100vh - 4rem); overflow-y: auto; } }
h1 { font-size: 1.4rem; line-height: 1.3; margin: 0 0 .5rem; }
.facts { color: var(--dim); font-size: .8125rem; margin: 0 0 2rem; display: flex; flex-wrap: wrap; gap: .1rem 1.25rem; }
.facts div { min-width: 0; max-width: 100%; } .facts dt { display: inline; opacity: .75; margin-right: .4rem; } .facts dd { display: inline; margin: 0; color: var(--text); }
h2 { font-size: 1.1rem; margin: 2rem 0 .75rem; }
article { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .75rem 1rem; margin: 0 0 .75rem; }
article > header { color: var(--dim); font-size: .8125rem; margin-bottom: .35rem; display: flex; gap: .6rem; flex-wrap: wrap; align-items: baseline; }
article > header time { margin-left: auto; }
.person { border-left: 4px solid var(--person); } .person > header b { color: var(--person); }
.agent > header b { color: var(--agent); }
.tool { background: transparent; border-color: transparent; padding: 0 1rem; margin: -.5rem 0 .5rem; } .summary { border-style: dashed; }
.error, details.error > summary, details.denied > summary { border-color: var(--error); } .error > header b, details.error > summary { color: var(--error); }
pre.plain, .text :is(p, li, td, th, h1, h2, h3, h4, h5, h6) { unicode-bidi: plaintext; text-align: start; }
.text > :first-child { margin-top: 0; } .text > :last-child { margin-bottom: 0; }
pre, code { font: .8125rem/1.5 ui-monospace, monospace; background: var(--code); border-radius: 4px; }
code { padding: .1em .3em; } pre code { padding: 0; }
pre { padding: .6rem .75rem; margin: .4rem 0; white-space: pre-wrap; overflow-wrap: normal; max-height: 32rem; overflow: auto; }
pre.diff { padding-left: .4rem; padding-right: .4rem; } .diff { line-height: 1.4; } .diff span { display: inline-block; min-width: 100%; } .diff .del { background: var(--del); } .diff .ins { background: var(--ins); } .diff .gap { color: var(--dim); }
.path { margin: .5rem 0 0; font: .8125rem/1.5 ui-monospace, monospace; color: var(--dim); } .subagent { margin: 0 0 .75rem 1rem; padding-left: .75rem; border-left: 3px solid var(--line); } .subagent > article { margin-top: .4rem; }
pre.plain { font-family: inherit; font-size: .9rem; background: none; padding: 0; max-height: none; }
.thinking pre.plain { color: var(--dim); }
.person pre.plain, .error pre.plain { font-size: 1rem; margin: 0; } .note { margin: .4rem 0; }
article > :last-child { margin-bottom: 0; }
details { margin: .4rem 0; } summary { cursor: pointer; color: var(--dim); font-size: .875rem; }
details.hidden { margin: -.25rem 0 .25rem; padding: 0 1rem; } details.hidden + article { margin-top: .75rem; } details.hidden > article { margin-top: .4rem; }
img { max-width: 100%; min-width: 2rem; image-rendering: crisp-edges; height: auto; border-radius: 4px; display: block; margin: .4rem 0; }
table { border-collapse: collapse; display: block; overflow-x: auto; } td, th { border: 1px solid var(--line); padding: .25rem .5rem; }
blockquote { margin: .5rem 0; padding-left: .75rem; border-left: 3px solid var(--line); color: var(--dim); }
a { color: var(--person); } .address, .note, footer { color: var(--dim); font-size: .875rem; }
@media print { #search, nav { display: none; } pre { max-height: none; } article { break-inside: avoid-page; } }
`;
