#pragma once
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

/* For tests: answers a broker's next request of this kind with an error. Swift cannot call the variadic function. */
static inline rd_kafka_resp_err_t combo_mock_broker_answer(
    rd_kafka_mock_cluster_t *cluster, int32_t broker, int16_t request, rd_kafka_resp_err_t error) {
  return rd_kafka_mock_broker_push_request_error_rtts(cluster, broker, request, 1, error, 0);
}
