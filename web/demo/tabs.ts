/** The row of tabs, by the ARIA pattern: arrow keys move, only the chosen panel is shown. */

export function setUpTabs(onShow: (id: string) => void): void {
  const tabs = [...document.querySelectorAll<HTMLElement>('[role="tab"]')];
  const show = (chosen: HTMLElement, focus: boolean): void => {
    for (const tab of tabs) {
      const selected = tab === chosen;
      tab.setAttribute('aria-selected', String(selected));
      tab.tabIndex = selected ? 0 : -1;
      const panel = document.getElementById(tab.getAttribute('aria-controls') ?? '');
      if (panel !== null) panel.hidden = !selected;
    }
    if (focus) chosen.focus();
    const name = chosen.id.replace('tab-', '');
    history.replaceState(null, '', `#${name}`);
    onShow(name);
  };
  tabs.forEach((tab, index) => {
    tab.addEventListener('click', () => show(tab, false));
    tab.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1, Home: -index, End: tabs.length - 1 - index }[
        event.key
      ];
      if (step === undefined) return;
      event.preventDefault();
      const next = tabs[(index + step + tabs.length) % tabs.length];
      if (next !== undefined) show(next, true);
    });
  });
  const start = tabs.find((tab) => tab.id === `tab-${location.hash.slice(1)}`) ?? tabs[0];
  if (start !== undefined) show(start, false);
}
