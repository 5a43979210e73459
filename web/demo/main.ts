/** The demo page: the public API only. */

import { ModelBar } from './model_bar.js';
import { ClassifyPanel } from './panels/classify_panel.js';
import { ComparePanel } from './panels/compare_panel.js';
import { NetworkPanel } from './panels/network_panel.js';
import { SearchPanel } from './panels/search_panel.js';
import { TokensPanel } from './panels/tokens_panel.js';
import { showPolicy } from './policy.js';
import { setUpTabs } from './tabs.js';

const network = new NetworkPanel();
const panels = {
  search: new SearchPanel(),
  compare: new ComparePanel(),
  classify: new ClassifyPanel(),
  tokens: new TokensPanel(),
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
