-- A category in the order of another field is read from one index, see docs/decisions/0035-derived-columns-written-by-the-module.md. The
-- names stay, so servers of an older version use these indexes too. They are built before the old ones are dropped, so readers wait for
-- no more than that.

CREATE INDEX products_by_price_new ON products (price_key, created_at, id, category) WHERE price_key IS NOT NULL;
CREATE INDEX products_by_name_new ON products (name_key, created_at, id, category) WHERE name_key IS NOT NULL;
CREATE INDEX products_by_rating_new ON products (rating_key, created_at, id, category) WHERE rating_key IS NOT NULL;

DROP INDEX IF EXISTS products_by_price;
DROP INDEX IF EXISTS products_by_name;
DROP INDEX IF EXISTS products_by_rating;
ALTER INDEX products_by_price_new RENAME TO products_by_price;
ALTER INDEX products_by_name_new RENAME TO products_by_name;
ALTER INDEX products_by_rating_new RENAME TO products_by_rating;
