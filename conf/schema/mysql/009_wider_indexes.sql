-- A category in the order of another field is read from one index, see docs/decisions/0035-derived-columns-written-by-the-module.md. The
-- names stay, so servers of an older version use these indexes too. An index is built anew if it has its old number of
-- columns; one that catalogctl index has dropped has none.

SET @step = (SELECT CASE WHEN COUNT(*) = 3 THEN
    'ALTER TABLE products DROP INDEX products_by_price, ADD INDEX products_by_price (price_key, created_at, id, category), ALGORITHM = INPLACE, LOCK = NONE'
    ELSE 'DO 0' END FROM information_schema.statistics
    WHERE table_schema = DATABASE() AND table_name = 'products' AND index_name = 'products_by_price');
PREPARE step FROM @step;
EXECUTE step;
SET @step = (SELECT CASE WHEN COUNT(*) = 3 THEN
    'ALTER TABLE products DROP INDEX products_by_name, ADD INDEX products_by_name (name_key, created_at, id, category), ALGORITHM = INPLACE, LOCK = NONE'
    ELSE 'DO 0' END FROM information_schema.statistics
    WHERE table_schema = DATABASE() AND table_name = 'products' AND index_name = 'products_by_name');
PREPARE step FROM @step;
EXECUTE step;
SET @step = (SELECT CASE WHEN COUNT(*) = 3 THEN
    'ALTER TABLE products DROP INDEX products_by_rating, ADD INDEX products_by_rating (rating_key, created_at, id, category), ALGORITHM = INPLACE, LOCK = NONE'
    ELSE 'DO 0' END FROM information_schema.statistics
    WHERE table_schema = DATABASE() AND table_name = 'products' AND index_name = 'products_by_rating');
PREPARE step FROM @step;
EXECUTE step;
DEALLOCATE PREPARE step;
