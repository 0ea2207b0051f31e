-- A category in the order of another field is read from one index, see docs/decisions/0035-derived-columns-written-by-the-module.md. The
-- names stay, so servers of an older version use these indexes too.

DROP INDEX IF EXISTS products_by_price;
DROP INDEX IF EXISTS products_by_name;
DROP INDEX IF EXISTS products_by_rating;
CREATE INDEX products_by_price ON products (price_key, created_at, id, category) WHERE price_key IS NOT NULL;
CREATE INDEX products_by_name ON products (name_key, created_at, id, category) WHERE name_key IS NOT NULL;
CREATE INDEX products_by_rating ON products (rating_key, created_at, id, category) WHERE rating_key IS NOT NULL;
