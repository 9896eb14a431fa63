/**
 * JSON Schemas from the types of the source, by the compiler that checks them. A named type becomes an entry of `$defs`,
 * its comment the description, and tags such as `@maxLength` its keywords. A type that JSON cannot have is an error.
 */

import { join } from "node:path";
import { CHANNEL_LIMITS } from "@continuo/core/wire";
import {
  type ArrayTypeNode,
  type InterfaceDeclaration,
  type IntersectionTypeNode,
  type NamedTupleMember,
  type ParenthesizedTypeNode,
  type PropertySignatureDeclaration,
  SyntaxKind,
  type TupleTypeNode,
  type TypeAliasDeclaration,
  type TypeNode,
  type TypeOperatorNode,
  type TypeReferenceNode,
  type UnionTypeNode,
} from "typescript/unstable/ast";
import {
  API,
  type Checker,
  type Project,
  type Symbol as Sym,
  SymbolFlags,
  type Type,
  TypeFlags,
} from "typescript/unstable/sync";

export type Schema = { readonly [keyword: string]: unknown };

export interface TypeSchemas extends Disposable {
  /** The schemas of exported types of a file, and of all that they refer to, as `$defs`. */
  defsOf(file: string, names: readonly string[]): Readonly<Record<string, Schema>>;
}

const ROOT = join(import.meta.dirname, "../..");

export function openTypeSchemas(): TypeSchemas {
  const api = new API({ cwd: ROOT });
  const config = join(import.meta.dirname, "tsconfig.json");
  const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
  if (project === undefined) throw new Error(`the compiler does not open ${config}`);
  return {
    defsOf: (file, names) => {
      const reader = new Reader(project);
      for (const name of names) reader.define(reader.exported(join(ROOT, file), name));
      return Object.fromEntries(reader.defs);
    },
    [Symbol.dispose]: () => api.close(),
  };
}

const NUMBERS: ReadonlySet<string> = new Set(["minLength", "maxLength", "minimum", "maximum", "maxItems"]);
const TEXTS: ReadonlySet<string> = new Set(["pattern", "type"]);

class Reader {
  readonly defs = new Map<string, Schema>();
  readonly #project: Project;
  readonly #checker: Checker;
  readonly #places = new Map<string, string>();

  constructor(project: Project) {
    this.#project = project;
    this.#checker = project.checker;
  }

  exported(file: string, name: string): Sym {
    const source = this.#project.program.getSourceFile(file);
    const module = source === undefined ? undefined : this.#checker.getSymbolAtLocation(source);
    const found = module === undefined ? undefined : this.#checker.getMemberInModuleExports(module, name);
    if (found === undefined) throw new Error(`${file} exports no ${name}`);
    return this.#original(found);
  }

  /** Returns a reference to the definition of a named type, and creates the definition if it does not exist yet. */
  define(symbol: Sym): Schema {
    const { name } = symbol;
    const declaration = this.#declarationOf(symbol);
    const place = symbol.declarations[0]?.path ?? "";
    if (!this.#places.has(name)) {
      this.#places.set(name, place);
      this.defs.set(name, {});
      const schema =
        declaration.kind === SyntaxKind.TypeAliasDeclaration
          ? this.#fromNode((declaration as TypeAliasDeclaration).type)
          : this.#object(this.#checker.getDeclaredTypeOfSymbol(symbol));
      this.defs.set(name, { ...this.#about(symbol), ...schema, ...this.#keywords(symbol) });
    }
    if (this.#places.get(name) !== place) throw new Error(`two types are called ${name}: rename one of them`);
    return { $ref: `#/$defs/${name}` };
  }

  #original(symbol: Sym): Sym {
    return symbol.flags & SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
  }

  #declarationOf(symbol: Sym): InterfaceDeclaration | TypeAliasDeclaration {
    const node = symbol.declarations[0]?.resolve(this.#project);
    if (node === undefined) throw new Error(`${symbol.name} is not declared`);
    return node as InterfaceDeclaration | TypeAliasDeclaration;
  }

  #about(symbol: Sym): Schema {
    const text = this.#checker
      .getDocumentationCommentOfSymbol(symbol)
      .replaceAll(/\s*\n\s*(?!-)/gu, " ")
      .trim();
    return text === "" ? {} : { description: text };
  }

  #keywords(symbol: Sym): Schema {
    const keywords: Record<string, string | number> = {};
    for (const { name, text = "" } of this.#checker.getJsDocTagsOfSymbol(symbol)) {
      if (NUMBERS.has(name)) keywords[name] = limitOf(text.trim());
      if (TEXTS.has(name)) keywords[name] = text.trim();
    }
    return keywords;
  }

  #object(type: Type): Schema {
    const properties: Record<string, Schema> = {};
    const required: string[] = [];
    for (const property of this.#checker.getPropertiesOfType(type)) {
      properties[property.name] = this.#property(property);
      if (!(property.flags & SymbolFlags.Optional)) required.push(property.name);
    }
    const [index] = this.#checker.getIndexInfosOfType(type);
    return {
      type: "object",
      ...(Object.keys(properties).length === 0 ? {} : { properties }),
      ...(required.length === 0 ? {} : { required }),
      ...(index === undefined ? {} : { additionalProperties: this.#fromType(index.valueType) }),
    };
  }

  #property(property: Sym): Schema {
    const declared = property.declarations[0]?.resolve(this.#project);
    const node = (declared as PropertySignatureDeclaration | undefined)?.type;
    const type = this.#checker.getTypeOfSymbol(property);
    const schema =
      node !== undefined && declared?.kind === SyntaxKind.PropertySignature
        ? this.#fromNode(node)
        : type === undefined
          ? {}
          : this.#fromType(type);
    return { ...this.#about(property), ...schema, ...this.#keywords(property) };
  }

  /** Leaves `undefined` out: JSON has no key for such a value. */
  #fromUnion({ types }: UnionTypeNode): Schema {
    const [first, ...others] = types.filter(({ kind }) => kind !== SyntaxKind.UndefinedKeyword);
    if (first === undefined) throw new Error("JSON has no undefined");
    if (others.length === 0) return this.#fromNode(first);
    return unionOf([first, ...others].map((one) => this.#fromNode(one)));
  }

  #fromTuple({ elements }: TupleTypeNode): Schema {
    const prefixItems = [...elements].map((one) =>
      this.#fromNode(one.kind === SyntaxKind.NamedTupleMember ? (one as NamedTupleMember).type : one),
    );
    return { type: "array", prefixItems, minItems: prefixItems.length, maxItems: prefixItems.length };
  }

  /** Reads the written type, so that a scalar keeps its name. */
  #fromNode(node: TypeNode): Schema {
    switch (node.kind) {
      case SyntaxKind.ParenthesizedType:
        return this.#fromNode((node as ParenthesizedTypeNode).type);
      case SyntaxKind.TypeOperator:
        // `readonly` changes nothing in JSON, and `keyof` is another type.
        if ((node as TypeOperatorNode).operator !== SyntaxKind.ReadonlyKeyword) break;
        return this.#fromNode((node as TypeOperatorNode).type);
      case SyntaxKind.ArrayType:
        return { type: "array", items: this.#fromNode((node as ArrayTypeNode).elementType) };
      case SyntaxKind.TupleType:
        return this.#fromTuple(node as TupleTypeNode);
      case SyntaxKind.UnionType:
        return this.#fromUnion(node as UnionTypeNode);
      case SyntaxKind.IntersectionType:
        return { allOf: (node as IntersectionTypeNode).types.map((one) => this.#fromNode(one)) };
      case SyntaxKind.TypeReference:
        return this.#fromReference(node as TypeReferenceNode);
    }
    return this.#fromType(this.#typeOf(node));
  }

  #fromReference(node: TypeReferenceNode): Schema {
    const symbol = this.#checker.getSymbolAtLocation(node.typeName);
    const original = symbol === undefined ? undefined : this.#original(symbol);
    if (original !== undefined && original.flags & SymbolFlags.TypeParameter) return {};
    const isGeneric = (node.typeArguments?.length ?? 0) > 0;
    if (original !== undefined && !isGeneric && !isLibrary(original)) return this.define(original);
    return this.#fromType(this.#typeOf(node));
  }

  #typeOf(node: TypeNode): Type {
    const type = this.#checker.getTypeFromTypeNode(node);
    if (type === undefined) throw new Error("a type was not resolved");
    return type;
  }

  #fromType(type: Type): Schema {
    const { flags } = type;
    if (flags & (TypeFlags.Unknown | TypeFlags.Any)) return {};
    if (flags & TypeFlags.Boolean) return { type: "boolean" };
    if (type.isLiteralType()) return { const: type.value };
    if (flags & TypeFlags.String) return { type: "string" };
    if (flags & TypeFlags.Number) return { type: "number" };
    if (flags & TypeFlags.Null) return { type: "null" };
    if (type.isUnionType()) return unionOf(type.getTypes().map((one) => this.#fromType(one)));
    if (type.isIntersectionType()) return this.#object(type);
    if (this.#checker.isArrayType(type) && type.isTypeReference()) {
      const [item] = this.#checker.getTypeArguments(type);
      return { type: "array", items: item === undefined ? {} : this.#fromType(item) };
    }
    const symbol = type.getSymbol();
    const isNamed =
      symbol !== undefined && (symbol.flags & (SymbolFlags.Interface | SymbolFlags.Class)) !== 0;
    if (isNamed && !isLibrary(symbol)) return this.define(symbol);
    if (!isNamed && type.isObjectType()) return this.#object(type);
    throw new Error(`JSON has no ${this.#checker.typeToString(type)}`);
  }
}

function isLibrary({ declarations }: Sym): boolean {
  return declarations.some(({ path }) => /\/lib\.[\w.]+\.d\.ts$|\/node_modules\//u.test(path));
}

function limitOf(text: string): number {
  if (/^\d+$/u.test(text)) return Number(text);
  const limit = (CHANNEL_LIMITS as Readonly<Record<string, number>>)[text];
  if (limit === undefined) throw new Error(`there is no limit ${text}`);
  return limit;
}

/** Joins constants into one list, and adds `null` as one of several types. */
function unionOf(schemas: readonly Schema[]): Schema {
  const constants = schemas.filter((schema) => "const" in schema).map((schema) => schema.const);
  const others = schemas.filter((schema) => !("const" in schema));
  const known =
    constants.length === 0 ? [] : [constants.length === 1 ? { const: constants[0] } : { enum: constants }];
  const all = [...known, ...others];
  return all.length === 1 ? (all[0] ?? {}) : { anyOf: all };
}
