/**
 * Facts that people tell their agents, with the sentences that state them and the questions that ask for them. `{o}` is
 * the object, `{v}` the value.
 */

export interface FactKind {
  readonly topic: string;
  readonly say: readonly string[];
  /** The later sentence of an update. */
  readonly change: readonly string[];
  readonly ask: readonly string[];
  /** The same question as words for a search field. */
  readonly words: readonly string[];
  readonly objects: readonly string[];
  readonly values: readonly string[];
}

const SERVICES =
  "billing service|invoice worker|image resizer|search gateway|login server|mail relay|report builder|metrics collector|chat backend|upload proxy|feature flag server|payment bridge".split(
    "|",
  );
const PEOPLE = "Marta|Jonas|Priya|Tomas|Elif|Kenji|Amina|Oscar|Lucia|Viktor|Hannah|Samir".split("|");
const PROJECTS =
  "garden planner|bike tracker|recipe box|museum guide|bus timetable|weather station|library catalogue|ski report|choir schedule|wine cellar|puzzle game|moving checklist".split(
    "|",
  );
const RELATIVES = "sister|brother|cousin|neighbour|aunt|father in law|roommate|grandmother".split("|");

export const FACT_KINDS: readonly FactKind[] = [
  {
    topic: "servers",
    say: ["The {o} listens on port {v}.", "By the way, our {o} listens on port {v} in staging."],
    change: ["We moved the {o}: it listens on port {v} from now on."],
    ask: ["Which port does the {o} listen on?", "What is the port of our {o}?"],
    words: ["{o} port", "port {o} listens"],
    objects: SERVICES,
    values: "4173 5050 6001 7210 8099 8443 9120 9333 3456 2525".split(" "),
  },
  {
    topic: "servers",
    say: ["Requests to the {o} time out after {v} seconds.", "I set the timeout of the {o} to {v} seconds."],
    change: ["I raised the timeout of the {o} to {v} seconds."],
    ask: ["After how many seconds do requests to the {o} time out?", "What timeout did I set for the {o}?"],
    words: ["{o} timeout seconds"],
    objects: SERVICES,
    values: "7 12 18 25 33 45 70 95 140 200".split(" "),
  },
  {
    topic: "storage",
    say: ["Backups of the {o} are kept for {v} days.", "We keep the backups of the {o} for {v} days."],
    change: ["Legal asked for it, so backups of the {o} are kept for {v} days now."],
    ask: ["How long do we keep backups of the {o}?", "For how many days are the backups of the {o} kept?"],
    words: ["{o} backups days kept"],
    objects: SERVICES,
    values: "9 14 21 30 45 60 90 120 180 400".split(" "),
  },
  {
    topic: "storage",
    say: ["The {o} stores its rows in {v}.", "For the {o} we picked {v} as the database."],
    change: ["The {o} was migrated, its database is {v} now."],
    ask: ["Which database does the {o} use?", "Where does the {o} store its rows?"],
    words: ["{o} database"],
    objects: SERVICES,
    values: "Postgres|MariaDB|DuckDB|Cassandra|Redis|FoundationDB|CockroachDB|LevelDB".split("|"),
  },
  {
    topic: "team",
    say: ["{v} reviews everything that touches the {o}.", "The reviewer for the {o} is {v}."],
    change: ["{v} took over as the reviewer for the {o}."],
    ask: ["Who reviews changes of the {o}?", "Who is the reviewer for the {o}?"],
    words: ["{o} reviewer"],
    objects: SERVICES,
    values: PEOPLE,
  },
  {
    topic: "team",
    say: ["The budget for the {o} is {v} euros.", "They gave me a budget of {v} euros for the {o}."],
    change: ["The budget for the {o} was cut to {v} euros."],
    ask: ["What is the budget for the {o}?", "How many euros may the {o} cost?"],
    words: ["{o} budget euros"],
    objects: PROJECTS,
    values: "700 1200 1850 2400 3100 4600 5200 7700 9300 12500".split(" "),
  },
  {
    topic: "release",
    say: ["The {o} has to be released on {v}.", "The release of the {o} is planned for {v}."],
    change: ["The release of the {o} slipped, it is planned for {v}."],
    ask: ["When is the {o} going to be released?", "For which day is the release of the {o} planned?"],
    words: ["{o} release planned"],
    objects: PROJECTS,
    values: "12 May|3 June|21 July|9 August|30 September|17 October|5 November|14 December".split("|"),
  },
  {
    topic: "release",
    say: ["The {o} is published under the {v} licence.", "I chose the {v} licence for the {o}."],
    change: ["I relicensed the {o}, it is {v} now."],
    ask: ["Under which licence is the {o} published?", "Which licence did I choose for the {o}?"],
    words: ["{o} licence"],
    objects: PROJECTS,
    values: "MIT|Apache|MPL|GPL|BSD|ISC|EUPL|Zlib".split("|"),
  },
  {
    topic: "release",
    say: ["For the {o} I use {v} as the build tool.", "The {o} is built with {v}."],
    change: ["I switched the build of the {o} to {v}."],
    ask: ["What do I build the {o} with?", "Which build tool does the {o} use?"],
    words: ["{o} build tool"],
    objects: PROJECTS,
    values: "Vite|Bazel|Make|Turborepo|Gradle|Parcel|Nix|Rollup".split("|"),
  },
  {
    topic: "family",
    say: ["My {o} works as a {v}.", "I have a {o} who is a {v}, so I hear a lot about that job."],
    change: ["My {o} changed jobs and works as a {v} now."],
    ask: ["What is the job of my {o}?", "What does my {o} work as?"],
    words: ["{o} works as job"],
    objects: RELATIVES,
    values: "plumber|nurse|beekeeper|notary|tram driver|geologist|tailor|sound engineer".split("|"),
  },
  {
    topic: "family",
    say: ["My {o} lives in {v}.", "We visited my {o} in {v} where the flat is tiny."],
    change: ["My {o} moved and lives in {v} now."],
    ask: ["Where does my {o} live?", "In which city does my {o} live?"],
    words: ["{o} lives city"],
    objects: RELATIVES,
    values: "Ghent|Porto|Leipzig|Tampere|Brno|Cork|Malmo|Turin".split("|"),
  },
  {
    topic: "family",
    say: ["The dog of my {o} is called {v}.", "My {o} adopted a dog and named it {v}."],
    change: ["They renamed it: the dog of my {o} is called {v}."],
    ask: ["What is the name of my {o}'s dog?", "How is the dog of my {o} called?"],
    words: ["{o} dog name"],
    objects: RELATIVES,
    values: "Biscuit|Waffle|Nimbus|Pepper|Zorro|Momo|Pixel|Clover".split("|"),
  },
  {
    topic: "hobby",
    say: ["I practise the {o} every {v}.", "Every {v} I practise the {o} for an hour."],
    change: ["My lessons moved, I practise the {o} every {v} now."],
    ask: ["On which day do I practise the {o}?", "When do I practise the {o}?"],
    words: ["practise {o} day"],
    objects: "cello|accordion|ukulele|oboe|drums|harp|trumpet|banjo".split("|"),
    values: "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday".split("|"),
  },
  {
    topic: "hobby",
    say: ["I bought the {o} for {v} euros.", "I paid {v} euros for the {o} last winter."],
    change: ["I returned it and bought another {o} for {v} euros."],
    ask: ["How much did I pay for the {o}?", "For how many euros did I buy the {o}?"],
    words: ["bought {o} euros"],
    objects: "tent|kayak|telescope|sewing machine|espresso grinder|road bike|drone|pottery wheel".split("|"),
    values: "85 130 240 310 475 560 720 890".split(" "),
  },
];

/** Subjects of several decisions, which a question names by the time of one. */
export const DECISIONS: readonly string[] = [
  "the cache keys",
  "the error pages",
  "the navigation menu",
  "the nightly job",
  "the invoice layout",
  "the import script",
  "the release notes",
  "the login form",
  "the test database",
  "the colour theme",
];

export const OUTCOMES: readonly string[] = [
  "leave it as it is",
  "split it in two",
  "write it again from scratch",
  "hide it behind a flag",
  "ask the customers first",
  "drop it for good",
  "copy what the old version does",
  "give it to the platform group",
];

export const VERBS: readonly string[] =
  "parse read write open close merge fetch store check build render schedule retry encode resolve".split(" ");
export const NOUNS: readonly string[] =
  "invoice header session queue token window cursor payload schema avatar ledger ticket route draft locale".split(
    " ",
  );
export const ENDINGS: readonly string[] = "options cache state error limit index worker buffer".split(" ");
