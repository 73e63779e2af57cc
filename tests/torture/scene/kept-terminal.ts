import type { SocketClient } from "../../support/socket-client.ts";
import { Screen, TerminalView } from "../../terminals/screen.ts";

const SAME_MS_MAX = 20_000;
const LOOK_AGAIN_MS = 50;

/** A terminal that stays open for the whole run, and the screen of somebody who never left it. */
export class KeptTerminal {
  readonly terminalId: string;
  readonly #connect: () => Promise<SocketClient>;
  readonly #screen = new Screen();
  #said = 0;

  private constructor(terminalId: string, connect: () => Promise<SocketClient>) {
    this.#connect = connect;
    this.terminalId = terminalId;
  }

  /** `connect` gives a new client of the server that runs at the moment. */
  static async open(terminalId: string, connect: () => Promise<SocketClient>): Promise<KeptTerminal> {
    const terminal = new KeptTerminal(terminalId, connect);
    // What is typed before the first prompt is echoed before it, too, and the screen is another one.
    await terminal.shows("");
    await terminal.answers();
    return terminal;
  }

  /** A command in it is answered. */
  async answers(): Promise<void> {
    const word = await this.begin("");
    await this.shows(word);
  }

  /** Types a command that says a word when it is over; the word. */
  async begin(command: string): Promise<string> {
    this.#said += 1;
    const word = `said-${this.#said}`;
    using client = await this.#connect();
    const view = await TerminalView.attach(client, this.terminalId, this.#stayed);
    view.type(`${command === "" ? "" : `${command}; `}echo "said"-${this.#said}\r`);
    // Until it is echoed: what is typed to a server that is killed is not there yet.
    await view.shows(`"said"-${this.#said}`);
    return word;
  }

  /** Shows the word and a prompt below it, or with an empty word a prompt. */
  async shows(word: string): Promise<void> {
    using client = await this.#connect();
    const view = await TerminalView.attach(client, this.terminalId, this.#stayed);
    await view.shows(new RegExp(`^${word === "" ? "" : `${word}\\n`}[#$]$`, "m"));
  }

  /** Somebody new shows the same as somebody who never left; else how they differ. */
  async difference(): Promise<string | null> {
    using client = await this.#connect();
    using other = await this.#connect();
    using screen = new Screen();
    const stayed = await TerminalView.attach(client, this.terminalId, this.#stayed);
    const fresh = await TerminalView.attach(other, this.terminalId, { screen });
    const deadline = performance.now() + SAME_MS_MAX;
    for (;;) {
      stayed.take();
      fresh.take();
      const [one, two] = [await this.#screen.state(), await screen.state()];
      if (one === two && this.#screen.offset === screen.offset) return null;
      if (performance.now() > deadline) return `who stayed has ${one}, who comes has ${two}`;
      await Bun.sleep(LOOK_AGAIN_MS);
    }
  }

  get #stayed(): { screen: Screen; after?: number } {
    return this.#screen.offset === 0 ? { screen: this.#screen } : { screen: this.#screen, after: this.#screen.offset };
  }
}
