-- The order of the list, with what conditions on the other numbers, inStock and category ask: a range of prices, newest first, passes
-- many products for each that it shows, and reads this index alone. It is not built where catalogctl index has dropped the one by price.
SET @step = (SELECT CASE WHEN COUNT(CASE WHEN index_name = 'products_by_price' THEN 1 END) > 0
    AND COUNT(CASE WHEN index_name = 'products_by_time_and_price' THEN 1 END) = 0 THEN
    'ALTER TABLE products ADD INDEX products_by_time_and_price (created_at, id, price_key, rating_key, in_stock, category), ALGORITHM = INPLACE, LOCK = NONE'
    ELSE 'DO 0' END FROM information_schema.statistics
    WHERE table_schema = DATABASE() AND table_name = 'products');
PREPARE step FROM @step;
EXECUTE step;
DEALLOCATE PREPARE step;
