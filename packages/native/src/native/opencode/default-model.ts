/**
 * The model that opencode uses if a session names none (1.18.33): `model` of its settings, or else the one chosen last,
 * or else the first model of the first provider in its settings. A prompt without a model cannot be shown.
 */

import { dirname, join } from "node:path";
import { isJson, type Json, type Places, parseCommented, readSmallFile, textField } from "@continuo/files";

import { objectField } from "./records.ts";

/** `{ providerID, modelID }`; `null` if nothing names one, and opencode would look at its own catalogue. */
export function readDefaultModel(places: Places, cwd: string): Json | null {
  const settings = settingsFor(places, cwd);
  const set = settings.map(({ model }) => toModel(model)).find((model) => model !== null);
  return set ?? chosenLast(places) ?? firstOf(settings);
}

/** The settings with priority come first: those of the project, from its folder upwards, then those of the user. */
function settingsFor({ home, env }: Places, cwd: string): readonly Json[] {
  const user = join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode");
  const folders = upwards(cwd).flatMap((folder) => [join(folder, ".opencode"), folder]);
  const named = env.OPENCODE_CONFIG ? [env.OPENCODE_CONFIG] : [];
  const files = [...folders.flatMap(filesIn), ...named, ...filesIn(user), join(user, "config.json")];
  const contents = [env.OPENCODE_CONFIG_CONTENT ?? null, ...files.map((file) => readSmallFile(file))];
  return contents.map((text) => parseCommented(text ?? "")).filter((each) => each !== null);
}

function filesIn(folder: string): string[] {
  return [join(folder, "opencode.jsonc"), join(folder, "opencode.json")];
}

function upwards(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...upwards(above)];
}

/** `PROVIDER/MODEL`, where the model's name may hold slashes too. */
function toModel(name: unknown): Json | null {
  const [, providerID, modelID] = typeof name === "string" ? (/^([^/]+)\/(.+)$/su.exec(name) ?? []) : [];
  return providerID === undefined || modelID === undefined ? null : { providerID, modelID };
}

function chosenLast({ home, env }: Places): Json | null {
  const state = join(env.XDG_STATE_HOME || join(home, ".local", "state"), "opencode", "model.json");
  const recent = parseCommented(readSmallFile(state) ?? "")?.recent;
  const [first] = Array.isArray(recent) ? recent : [];
  const providerID = isJson(first) ? textField(first, "providerID") : null;
  const modelID = isJson(first) ? textField(first, "modelID") : null;
  return providerID === null || modelID === null ? null : { providerID, modelID };
}

/** Returns the model whose name comes last, which is opencode's order for those that it does not know. */
function firstOf(settings: readonly Json[]): Json | null {
  const [provider] = settings.flatMap((each) => Object.entries(objectField(each, "provider")));
  if (provider === undefined || !isJson(provider[1])) return null;
  const modelID = Object.keys(objectField(provider[1], "models")).sort().at(-1);
  return modelID === undefined ? null : { providerID: provider[0], modelID };
}
