// Loaded into a server of its own before anything else.
import { leadAlgoliaTo } from './lead-algolia.ts';

leadAlgoliaTo(Number(process.env['ALGOLIA_EDGE_PORT']));
