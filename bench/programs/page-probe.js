// Runs in the page before its own scripts, and says when something can be seen: it looks after each frame, in the first
// task that follows the frame's callbacks, style, layout and paint. Plain JavaScript, since it is handed over as it is.
(() => {
  const now = () => performance.timeOrigin + performance.now();

  /** Looks after every frame until `look` gives something. */
  function afterFrames(look) {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      if (look(now()) === undefined) requestAnimationFrame(() => port2.postMessage(null));
      else port1.close();
    };
    requestAnimationFrame(() => port2.postMessage(null));
  }

  function until(holds) {
    return new Promise((resolve) => {
      afterFrames((at) => {
        if (!holds()) return undefined;
        resolve(at);
        return at;
      });
    });
  }

  function portletOf(sessionId) {
    return [...document.querySelectorAll("iframe[data-session-id]")].find(
      (frame) => frame.dataset.sessionId === sessionId,
    );
  }

  function isShown(frame) {
    return frame?.checkVisibility({ visibilityProperty: true, opacityProperty: true }) === true;
  }

  function isInView(element) {
    if (!element) return false;
    const { top, bottom } = element.getBoundingClientRect();
    return bottom > 0 && top < element.ownerDocument.defaultView.innerHeight;
  }

  function textOf(sessionId) {
    const from = sessionId === null ? document : portletOf(sessionId)?.contentDocument;
    return from?.body?.textContent ?? "";
  }

  const keyLatenciesMs = [];
  const stampLatenciesMs = [];
  const longFramesMs = [];
  const noteLongFrames = (entries) => longFramesMs.push(...entries.map(({ duration }) => duration));
  // Of all that can be observed, only this counts scripts, style, layout and paint of one frame together.
  const longFrameObserver = new PerformanceObserver((list) => noteLongFrames(list.getEntries()));
  longFrameObserver.observe({ type: "long-animation-frame" });

  globalThis.benchProbe = {
    /** The time between frames while nothing happens. */
    async frameIntervals(count) {
      const times = [];
      while (times.length <= count) times.push(await new Promise((resolve) => requestAnimationFrame(resolve)));
      return times.slice(1).map((time, index) => time - times[index]);
    },

    /** Clicks, and gives how long it took until the session's newest entry was on the screen. */
    async openSession(row, sessionId, entryId) {
      const from = now();
      row.click();
      const selector = `article[data-entry-id="${CSS.escape(entryId)}"]`;
      return (
        (await until(() => {
          const frame = portletOf(sessionId);
          return isShown(frame) && isInView(frame.contentDocument.querySelector(selector));
        })) - from
      );
    },

    async switchTab(tab, sessionId) {
      const from = now();
      tab.click();
      return (await until(() => isShown(portletOf(sessionId)))) - from;
    },

    /** What any change that is visible costs: an empty box is shown, and that is all. */
    async showBox() {
      const box = document.createElement("div");
      box.style.cssText = "position:fixed;width:9px;height:9px;visibility:hidden";
      document.body.append(box);
      const from = now();
      box.style.visibility = "visible";
      const took = (await until(() => true)) - from;
      box.remove();
      return took;
    },

    /** When a text was on the screen; of one session, or of the whole document. */
    untilText: (sessionId, text) => until(() => textOf(sessionId).includes(text)),

    /** From now on, notes for each stamp of the agent how long it took to the screen. */
    watchStamps(sessionId) {
      const known = new Set();
      afterFrames((at) => {
        for (const [stamp, writtenAt] of textOf(sessionId).matchAll(/n\d+t(\d+\.\d+);/g)) {
          if (!known.has(stamp)) stampLatenciesMs.push(at - Number(writtenAt));
          known.add(stamp);
        }
        return undefined;
      });
    },

    /** Waits until so many were seen since the last call. */
    async takeStamps(count) {
      await until(() => stampLatenciesMs.length >= count);
      return stampLatenciesMs.splice(0);
    },

    /** From now on, notes for each key how long it took from the press to the frame that shows it. */
    watchKeys() {
      addEventListener("keydown", ({ timeStamp }) => {
        const from = performance.timeOrigin + timeStamp;
        afterFrames((at) => keyLatenciesMs.push(at - from));
      });
    },

    /** Waits until so many were seen since the last call. */
    async takeKeys(count) {
      await until(() => keyLatenciesMs.length >= count);
      return keyLatenciesMs.splice(0);
    },

    /** Since the navigation began: when the first words were painted, and when what matches could be seen. */
    async sinceStart(selector) {
      const at = await until(() => document.querySelector(selector)?.checkVisibility() === true);
      await until(() => performance.getEntriesByName("first-contentful-paint").length > 0);
      const [painted] = performance.getEntriesByName("first-contentful-paint");
      return [painted.startTime, at - performance.timeOrigin];
    },

    /** Until it is stopped: the longest time from one frame to the next, and all frames over 50 ms. */
    watchFrames() {
      longFramesMs.length = 0;
      let last = now();
      let longestGapMs = 0;
      let stopped = false;
      afterFrames((at) => {
        longestGapMs = Math.max(longestGapMs, at - last);
        last = at;
        return stopped ? at : undefined;
      });
      this.stopWatching = async () => {
        stopped = true;
        // The frame that showed the last word may itself be a long one, and is reported only after it has ended.
        await until(() => true);
        await until(() => true);
        noteLongFrames(longFrameObserver.takeRecords());
        return { longestGapMs, longFramesMs: [...longFramesMs] };
      };
    },
  };
})();
