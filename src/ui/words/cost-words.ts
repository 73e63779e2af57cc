/** "$0.84"; a currency the browser does not know is written out. */
export function costWords({ amount, currency }: { readonly amount: number; readonly currency: string }): string {
  if (!/^[A-Z]{3}$/.test(currency)) return `${amount.toFixed(2)} ${currency}`;
  return new Intl.NumberFormat("en", { style: "currency", currency }).format(amount);
}
