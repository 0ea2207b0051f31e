/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Describes the product of a page to search engines that run scripts, and to the Share function of the browser: og:
 * tags, the canonical address, and a Product of schema.org. The Product is microdata, because Trusted Types do not
 * permit JSON-LD scripts. For other readers, conf/examples/static-pages describes products.
 */
import * as config from '../../own/config.js';
import { el } from '../lib/dom.js';
import { at } from '../lib/shell.js';
import { currency, t } from '../lib/text.js';
import { FIELDS, valueIn } from '../product/fields.js';

const KNOWN = ['sku', 'mpn', 'gtin', 'color', 'material']; /* fields with the same name in schema.org */
const DESCRIPTION_MOST = 160; /* characters that search engines show */
/* pattern for the name of a static page; conf/examples/static-pages has the same rule for a slug */
const NAME = /^(?!index$)[^\0- /\\._%?#:\x7f]{1,60}$/u;
const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

const text = (product, name) => (typeof valueIn(product, name) === 'string' && FIELDS[name] ? product[name] : undefined);

/* Returns the address of the static page if config.js names static pages, otherwise of this page. */
function addressOf(product) {
    const slug = FIELDS.slug?.isUnique ? text(product, 'slug') : undefined;
    const name = slug && NAME.test(slug) && !ID.test(slug) ? slug : product.id;
    return config.SNAPSHOT ? new URL(`${name}.html`, at(config.SNAPSHOT)).href : at(`product.html?id=${product.id}`);
}

const SCHEMA = 'https://schema.org/';

/* Returns elements for machines only. Ignores undefined and ''. */
function properties(values) {
    const said = Object.entries(values).flatMap(([name, value]) => [value].flat().map(one => [name, one]));
    const isAddress = value => /^https?:/.test(value);
    return said
        .filter(([, value]) => value !== undefined && value !== '')
        .map(([itemprop, value]) => (isAddress(value) ? el('link', { itemprop, href: value }) : el('meta', { itemprop, content: value })));
}

const item = (itemprop, type, values) => el('span', { itemprop, itemscope: true, itemtype: SCHEMA + type, hidden: true }, properties(values));

/* Returns further data of the product that people do not see. Without a currency there is no offer, because it would
 * need one. */
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

/* Replaces the description of the product in the head. Returns elements for an element with itemtype Product. */
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
