/** The last items, up to a count; older ones fall out. */
export class RingBuffer<Item> {
  readonly #itemsMax: number;
  #items: Item[] = [];
  #start = 0;

  constructor(itemsMax: number) {
    this.#itemsMax = itemsMax;
  }

  push(item: Item): void {
    if (this.#items.length < this.#itemsMax) {
      this.#items.push(item);
      return;
    }
    this.#items[this.#start] = item;
    this.#start = (this.#start + 1) % this.#itemsMax;
  }

  /** Oldest first. */
  toArray(): Item[] {
    return [...this.#items.slice(this.#start), ...this.#items.slice(0, this.#start)];
  }
}
