/** Styles that travel with a part that is fetched on demand: imported as text, adopted when the part is shown. */
declare module "*.css" {
  const text: string;
  export default text;
}
