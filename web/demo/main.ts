/** The demo page: the public API only. */

import { ModelBar } from './model_bar.js';
import { ClassifyPanel } from './panels/classify_panel.js';
import { ComparePanel } from './panels/compare_panel.js';
import { NetworkPanel } from './panels/network_panel.js';
import { SearchPanel } from './panels/search_panel.js';
import { TokensPanel } from './panels/tokens_panel.js';
import { setUpTabs } from './tabs.js';

const modelBar = new ModelBar();
const network = new NetworkPanel();
for (const panel of [new SearchPanel(), new ComparePanel(), new ClassifyPanel(), new TokensPanel(), network]) {
  modelBar.onModel((running) => panel.use(running));
}
setUpTabs((tab) => {
  if (tab === 'network') void network.refresh();
});
void modelBar.load('Default', 'default');
void modelBar.offerLocalModels();
