/** The demo page: the public API only. */

import { byId } from './element.js';
import { ModelBar } from './model_bar.js';
import { ClassifyPanel } from './panels/classify_panel.js';
import { ComparePanel } from './panels/compare_panel.js';
import { LatePanel } from './panels/late_panel.js';
import { NetworkPanel } from './panels/network_panel.js';
import { SearchPanel } from './panels/search_panel.js';
import { TokensPanel } from './panels/tokens_panel.js';
import { showPolicy } from './policy.js';
import { setUpTabs } from './tabs.js';

/** Their code is fetched when they are opened: most visitors have no model for them. */
const late = {
  'zero-shot': async () => {
    const { ZeroShotPanel } = await import('./panels/zero_shot_panel.js');
    return (root: HTMLElement) => new ZeroShotPanel(root);
  },
  entities: async () => {
    const { EntitiesPanel } = await import('./panels/entities_panel.js');
    return (root: HTMLElement) => new EntitiesPanel(root);
  },
  answers: async () => {
    const { AnswersPanel } = await import('./panels/answers_panel.js');
    return (root: HTMLElement) => new AnswersPanel(root);
  },
  fill: async () => {
    const { FillPanel } = await import('./panels/fill_panel.js');
    return (root: HTMLElement) => new FillPanel(root);
  },
  rank: async () => {
    const { RankPanel } = await import('./panels/rank_panel.js');
    return (root: HTMLElement) => new RankPanel(root);
  },
};

const network = new NetworkPanel();
const panels = {
  search: new SearchPanel(),
  compare: new ComparePanel(),
  classify: new ClassifyPanel(),
  tokens: new TokensPanel(),
  ...Object.fromEntries(
    Object.entries(late).map(([name, load]) => [
      name,
      new LatePanel(byId(`panel-${name}`, HTMLElement), load),
    ]),
  ),
  network,
};
const modelBar = new ModelBar({
  started: (running) => {
    for (const panel of Object.values(panels)) panel.use(running);
  },
  ending: (running) => network.keepRequestsOf(running),
  failed: () => network.loadFailed(),
});
setUpTabs((shown) => {
  for (const [name, panel] of Object.entries(panels)) panel.show(name === shown);
});
void modelBar.load('Default', 'default');
void modelBar.offerLocalModels();
void showPolicy();
