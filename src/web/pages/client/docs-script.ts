// The script of `/docs`: language of the examples, copying, the search, trying an operation, and going from page to page with a token.
import { startCopying } from './docs-copy.ts';
import { startLanguages } from './docs-language.ts';
import { startPaging } from './docs-paging.ts';
import { startSearch } from './docs-search.ts';
import { startTrials } from './docs-trial.ts';

const languages = startLanguages();
const trials = startTrials();
const paging = startPaging({ isWanted: trials.hasToken, onShown: languages.show });
startCopying();
startSearch(paging.go);
