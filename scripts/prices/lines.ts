/** The models of the package as lines of our table. Pure. */

/** The part of the package's data that is read. */
export interface PackageModel {
  readonly id: string;
  readonly match: Match;
  readonly prices: Amounts | readonly Conditional[];
}

interface Match {
  readonly or?: readonly Match[];
  readonly equals?: string;
  readonly starts_with?: string;
}

interface Conditional {
  readonly constraint?: { readonly type: string; readonly start_date?: string };
  readonly prices: Amounts;
}

type Amount = number | { readonly base: number };

interface Amounts {
  readonly input_mtok?: Amount;
  readonly output_mtok?: Amount;
  readonly cache_read_mtok?: Amount;
  readonly cache_write_mtok?: Amount;
  readonly cache_write_1h_mtok?: Amount;
}

const NAME = /^[a-z\d][\w.:-]*\w$/u;
/** A date at the end says nothing about the price. */
const DATED = /[-@](?:\d{8}|\d{4}-\d{2}-\d{2})$/u;

/**
 * Models without prices for text tokens are left out. If several models have the same name after the date was removed,
 * the first one counts. @param asOf the day of the prices
 */
export function modelLines(models: readonly unknown[], asOf: string): readonly string[] {
  const taken = new Set<string>();
  return models.flatMap((model) => lineOf(model as PackageModel, asOf, taken));
}

function lineOf({ id, match, prices }: PackageModel, asOf: string, taken: Set<string>): readonly string[] {
  const amounts = [prices].flat().findLast((one) => isInForce(one, asOf));
  const { input_mtok, output_mtok, ...cache } = amounts === undefined ? {} : amountsOf(amounts);
  if (input_mtok === undefined || output_mtok === undefined) return [];
  const names = [id, ...namesOf(match)]
    .map((name) => name.toLowerCase().replace(DATED, ""))
    .filter((name) => NAME.test(name) && !taken.has(name) && taken.add(name));
  if (names.length === 0) return [];
  const all = [
    input_mtok,
    output_mtok,
    cache.cache_read_mtok,
    cache.cache_write_mtok,
    cache.cache_write_1h_mtok,
  ];
  const known = all.map((amount) => (amount === undefined ? "-" : String(baseOf(amount))));
  return [`${names.join(" ")} | ${known.join(" ").replace(/(?: -)+$/u, "")}`];
}

function isInForce(one: Amounts | Conditional, asOf: string): boolean {
  if (!("prices" in one) || one.constraint === undefined) return true;
  return one.constraint.type === "start_date" && (one.constraint.start_date ?? "") <= asOf;
}

function amountsOf(one: Amounts | Conditional): Amounts {
  return "prices" in one ? one.prices : one;
}

/** The price of a short prompt. */
function baseOf(amount: Amount): number {
  return typeof amount === "number" ? amount : amount.base;
}

function namesOf({ or = [], equals, starts_with }: Match): readonly string[] {
  return [equals ?? [], starts_with ?? [], or.flatMap(namesOf)].flat();
}
