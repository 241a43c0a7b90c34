// The script of `/docs`: language of the examples, copying, the search, trying an operation.
import { startCopying } from './docs-copy.ts';
import { startLanguages } from './docs-language.ts';
import { startSearch } from './docs-search.ts';
import { startTrials } from './docs-trial.ts';

startLanguages();
startCopying();
startSearch();
startTrials();
