/**
 * `npm run prices`: writes the table of list prices, `packages/agents/src/catalog/list-prices.ts`, from the package
 * `@pydantic/genai-prices` (MIT), in the version of `package.json`. Its date is the day on which npm published that version.
 *
 * `--check` only compares: the table, but not its date, which only a registry knows.
 */

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { modelLines } from "./prices/lines.ts";

const ROOT = join(import.meta.dirname, "..");
const FILE = join(ROOT, "packages/agents/src/catalog/list-prices.ts");
/** A name that the compiler does not look up: the types of the package are not used. */
const SOURCE: string = "@pydantic/genai-prices";
/** The providers whose models the agents use. */
const PROVIDERS = [
  "anthropic",
  "openai",
  "google",
  "x-ai",
  "deepseek",
  "mistral",
  "moonshotai",
  "zai",
  "minimax",
];

interface PricesPackage {
  findProvider(wanted: { readonly providerId: string }): { readonly models: readonly unknown[] } | undefined;
}

const { findProvider } = (await import(SOURCE)) as PricesPackage;
const before = readFileSync(FILE, "utf8");
const isCheck = process.argv.includes("--check");
const asOf = isCheck ? (/PRICES_AS_OF = "(.*)"/u.exec(before)?.[1] ?? "") : published();
const models = PROVIDERS.flatMap(
  (providerId): readonly unknown[] => findProvider({ providerId })?.models ?? [],
);
const lines = modelLines(models, asOf);
const after = `/** List prices, written by \`scripts/prices.ts\` from ${SOURCE} ${version()} (MIT). */

export const PRICES_AS_OF = "${asOf}";

/** The project that collects the prices of each provider. */
export const PRICE_SOURCE = "https://github.com/pydantic/genai-prices";

/**
 * Names, then USD for a million tokens: input, output, cache read, cache write, cache write for an hour; \`-\` if there
 * is none.
 */
export const PRICE_LINES: string = \`
${lines.join("\n")}
\`;
`;

if (!isCheck) writeFileSync(FILE, after);
else if (before !== after) {
  process.stderr.write("the list prices are not those of the package: run `npm run prices`\n");
  process.exitCode = 1;
}

function version(): string {
  return JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).devDependencies[SOURCE];
}

function published(): string {
  const times = execFileSync("npm", ["view", SOURCE, "time", "--json"], { encoding: "utf8", cwd: ROOT });
  return String(JSON.parse(times)[version()]).slice(0, "2026-11-26".length);
}
