/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Describes the product of a page to search engines that run scripts, and to the browser's own Share: og: tags, the canonical address, and a
 * Product of schema.org. The Product is microdata, because Trusted Types permit no script of JSON-LD. The pages of conf/examples/static-pages
 * describe it to all other readers.
 */
import * as config from '../../own/config.js';
import { el } from '../lib/dom.js';
import { at } from '../lib/shell.js';
import { currency, t } from '../lib/text.js';
import { FIELDS, valueIn } from '../product/fields.js';

const KNOWN = ['sku', 'mpn', 'gtin', 'color', 'material']; /* fields that schema.org has under the same name */
const DESCRIPTION_MOST = 160; /* characters that search engines show */
/* name of a static page; conf/examples/static-pages has the same rule for a slug */
const NAME = /^(?!index$)[^\0- /\\._%?#:\x7f]{1,60}$/u;
const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

const text = (product, name) => (typeof valueIn(product, name) === 'string' && FIELDS[name] ? product[name] : undefined);

/* The address of the static page, where config.js says that there are such, else of this one. */
function addressOf(product) {
    const slug = FIELDS.slug?.isUnique ? text(product, 'slug') : undefined;
    const name = slug && NAME.test(slug) && !ID.test(slug) ? slug : product.id;
    return config.SNAPSHOT ? new URL(`${name}.html`, at(config.SNAPSHOT)).href : at(`product.html?id=${product.id}`);
}

const SCHEMA = 'https://schema.org/';

/* Elements that say something to machines only. undefined and '' say nothing. */
function properties(values) {
    const said = Object.entries(values).flatMap(([name, value]) => [value].flat().map(one => [name, one]));
    const isAddress = value => /^https?:/.test(value);
    return said
        .filter(([, value]) => value !== undefined && value !== '')
        .map(([itemprop, value]) => (isAddress(value) ? el('link', { itemprop, href: value }) : el('meta', { itemprop, content: value })));
}

const item = (itemprop, type, values) => el('span', { itemprop, itemscope: true, itemtype: SCHEMA + type, hidden: true }, properties(values));

/* Of the product, beside what people see of it. Without a currency a price is none. */
function dataOf(product, address, pictures) {
    const { name, category, price, inStock } = product;
    const brand = text(product, 'brand');
    const offer = { url: address, price, priceCurrency: currency() ?? undefined, availability: SCHEMA + (inStock ? 'InStock' : 'OutOfStock') };
    const known = Object.fromEntries(KNOWN.map(field => [field, text(product, field)]));
    return [
        ...properties({ name, description: text(product, 'description'), category, ...known, image: pictures }),
        brand && item('brand', 'Brand', { name: brand }),
        currency() && item('offers', 'Offer', offer),
    ].filter(Boolean);
}

/* Replaces what the head says of the product. Returns elements for its body, in one with itemtype Product. */
export function describeProduct(product) {
    const { name, images = [] } = product;
    const address = addressOf(product);
    const pictures = images.map(({ url }) => new URL(url, location.href).href);
    const about = text(product, 'description')?.replace(/\s+/g, ' ').slice(0, DESCRIPTION_MOST);
    const previews = {
        'og:type': 'product',
        'og:title': name,
        'og:description': about,
        'og:site_name': t('brand'),
        'og:url': address,
        'og:image': pictures[0],
        'og:image:alt': images[0]?.alt || undefined,
    };
    const said = Object.entries(previews).filter(([, content]) => content !== undefined);
    document.querySelectorAll('head [data-product]').forEach(element => element.remove());
    document.querySelector('meta[name=description]').content = about ?? name;
    document.head.append(
        ...said.map(([property, content]) => el('meta', { property, content, 'data-product': true })),
        el('link', { rel: 'canonical', href: address, 'data-product': true }),
    );
    return dataOf(product, address, pictures);
}
