/** The public functions that take options, and the names of these options, as the compiler reads them from the types. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  API,
  type Checker,
  SignatureKind,
  type Symbol as Sym,
  SymbolFlags,
  type Type,
} from "typescript/unstable/sync";
import { ENTRIES } from "../docs/entries.ts";

const ROOT = join(import.meta.dirname, "../..");

/** A function that takes options: its owner, and the place of its options among the parameters. */
export interface OptionsParameter {
  /** The source of an entry point, or the name of the type that has the method. */
  readonly owner: string;
  /** The name of the function, such as `SessionManager.wake` of an entry point, or `send` of a type. */
  readonly name: string;
  readonly index: number;
  readonly isClass: boolean;
  /** The options that are tables of options themselves, such as `retry`. */
  readonly tables: readonly string[];
}

/**
 * Returns each function of the entry points of `continuo`, and each method of the objects that they return, and so on.
 */
export function optionParameters(): readonly OptionsParameter[] {
  const folder = mkdtempSync(join(tmpdir(), "continuo-types-"));
  const config = join(folder, "tsconfig.json");
  const files = ENTRIES.map(({ source }) => join(ROOT, source));
  const typeRoots = [join(ROOT, "node_modules/@types")];
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(ROOT, "tsconfig.json"),
      compilerOptions: { typeRoots },
      include: [],
      files,
    }),
  );
  const api = new API({ cwd: ROOT });
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error(`the compiler does not open ${config}`);
    const walk = new Walk(project.checker);
    for (const file of files) {
      const source = project.program.getSourceFile(file);
      const door = source === undefined ? undefined : project.checker.getSymbolAtLocation(source);
      if (door === undefined) throw new Error(`the compiler has no ${file}`);
      walk.door(file, door);
    }
    return walk.found;
  } finally {
    api.close();
    rmSync(folder, { recursive: true });
  }
}

class Walk {
  readonly found: OptionsParameter[] = [];
  readonly #checker: Checker;
  readonly #seen = new Set<Sym>();

  constructor(checker: Checker) {
    this.#checker = checker;
  }

  door(owner: string, door: Sym, prefix = ""): void {
    for (const exported of this.#checker.getExportsOfModule(door)) {
      const symbol = exported.flags & SymbolFlags.Alias ? this.#checker.getAliasedSymbol(exported) : exported;
      const name = prefix + exported.name;
      if (this.#seen.has(symbol)) continue;
      if (symbol.flags & SymbolFlags.ValueModule) this.door(owner, symbol, `${name}.`);
      else if (symbol.flags & SymbolFlags.Class) this.#class(owner, name, symbol);
      else if (symbol.flags & SymbolFlags.Value) {
        this.#seen.add(symbol);
        this.#function(owner, name, this.#typeOf(symbol));
      }
    }
  }

  #class(owner: string, name: string, symbol: Sym): void {
    const type = this.#typeOf(symbol);
    this.#function(owner, name, type, SignatureKind.Construct);
    this.#members(type, (member, its) => this.#function(owner, `${name}.${member}`, its));
    this.#returned(this.#checker.getDeclaredTypeOfSymbol(symbol));
  }

  #function(owner: string, name: string, type: Type, kind: SignatureKind = SignatureKind.Call): void {
    for (const signature of this.#checker.getSignaturesOfType(type, kind)) {
      for (const [index, parameter] of signature.getParameters().entries()) {
        const options = this.#checker.getNonNullableType(this.#typeOf(parameter));
        if (options === undefined || !this.#isOptions(parameter.name, options)) continue;
        const known = this.found.some((one) => one.owner === owner && one.name === name);
        const isClass = kind === SignatureKind.Construct;
        if (!known) this.found.push({ owner, name, index, isClass, tables: this.#tablesOf(options) });
      }
      const returned = this.#checker.getReturnTypeOfSignature(signature);
      if (returned !== undefined) this.#returned(returned);
    }
  }

  /** Visits the result of a call, even one in a promise, a list or a stream. */
  #returned(type: Type): void {
    for (const part of partsOf(type)) {
      if (part.isTypeReference()) {
        for (const argument of this.#checker.getTypeArguments(part)) this.#returned(argument);
      }
      const symbol = part.getSymbol();
      if (!part.isObjectType() || symbol === undefined || !isOurs(symbol) || this.#seen.has(symbol)) continue;
      this.#seen.add(symbol);
      this.#members(part, (member, its) => {
        this.#function(symbol.name, member, its);
        this.#returned(its);
      });
    }
  }

  #members(type: Type, visit: (name: string, type: Type) => void): void {
    for (const member of this.#checker.getPropertiesOfType(type)) {
      if (member.name.startsWith("__") || member.name === "prototype") continue;
      const its = this.#checker.getNonNullableType(this.#typeOf(member));
      if (its !== undefined) visit(member.name, its);
    }
  }

  #isOptions(name: string, type: Type): boolean {
    return partsOf(type).some((part) => {
      if (!part.isObjectType() || this.#checker.getSignaturesOfType(part, SignatureKind.Call).length > 0) {
        return false;
      }
      const typeName = (part.getAliasSymbol() ?? part.getSymbol())?.name ?? "";
      const isNamed = /options$/iu.test(name) || typeName.endsWith("Options");
      return (isNamed && this.#propertiesOf(part).length > 0) || this.#isTable(part);
    });
  }

  /** Returns true if every property is optional. */
  #isTable(type: Type): boolean {
    const properties = this.#propertiesOf(type);
    return properties.length > 0 && properties.every(({ flags }) => flags & SymbolFlags.Optional);
  }

  /** Returns the properties; none if one of them belongs to the language or to another package. */
  #propertiesOf(type: Type): readonly Sym[] {
    const properties = this.#checker.getPropertiesOfType(type);
    return properties.every(isOurs) ? properties : [];
  }

  #tablesOf(options: Type): readonly string[] {
    return this.#checker.getPropertiesOfType(options).flatMap((property) => {
      const type = this.#checker.getNonNullableType(this.#typeOf(property));
      return type?.isObjectType() && this.#isTable(type) ? [property.name] : [];
    });
  }

  #typeOf(symbol: Sym): Type {
    const type = this.#checker.getTypeOfSymbol(symbol);
    if (type === undefined) throw new Error(`${symbol.name} has no type`);
    return type;
  }
}

function partsOf(type: Type): readonly Type[] {
  return type.isUnionType() || type.isIntersectionType() ? type.getTypes().flatMap(partsOf) : [type];
}

/** Returns false for symbols of the language and of other packages. */
function isOurs({ declarations }: Sym): boolean {
  return (
    declarations.length > 0 &&
    declarations.every(({ path }) => !/\/node_modules\/|\/lib\.[\w.]+\.d\.ts$/u.test(path))
  );
}
