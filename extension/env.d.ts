/** Constants that the bundler replaces. */

interface ImportMeta {
  readonly env: { readonly FIREFOX: boolean };
}
