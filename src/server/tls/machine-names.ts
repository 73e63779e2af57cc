import { hostname, networkInterfaces } from "node:os";

export interface MachineNames {
  /** In lower case; without the loopback ones. */
  readonly names: readonly string[];
  /** Addresses by which others may reach this machine, those of private networks first. */
  readonly addresses: readonly string[];
}

/** By what this machine may be called from elsewhere. */
export function machineNames(): MachineNames {
  const name = hostname().toLowerCase();
  const isUsable = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(name) && name !== "localhost";
  const local = name.includes(".") ? [] : [`${name}.local`];
  const found = Object.values(networkInterfaces())
    .flatMap((one) => one ?? [])
    .filter(({ internal, address, family }) => !internal && !(family === "IPv6" && address.startsWith("fe80:")));
  const addresses = [...new Set(found.map(({ address }) => address))];
  return {
    names: isUsable ? [name, ...local] : [],
    addresses: addresses.sort((one, other) => rank(one) - rank(other)),
  };
}

/** Where a phone at home or in the office most likely is. */
const LIKELY = [/^192\.168\./, /^10\./, /^172\.(1[6-9]|2\d|3[01])\./, /\./];

function rank(address: string): number {
  const place = LIKELY.findIndex((pattern) => pattern.test(address));
  return place === -1 ? LIKELY.length : place;
}
