#include "app/config/cluster/cluster_cables.hpp"

#include <gtest/gtest.h>

#include "tests/app/config/cluster/right_cluster.hpp"

namespace ringcast {
namespace {

TEST(ClusterCables, HaveTheClassesOfNodesAndFabric) {
  const LinkClassNames classes = link_classes_of(cluster_in(right_cluster));

  // The empty name is that of `own`, which has no class.
  EXPECT_EQ(classes,
            (LinkClassNames{"", "infiniband-fdr-4x", "nvlink-2.0", "pcie-3.0-x16", "qpi-9.6"}));
}

TEST(ClusterCables, HaveAClassThatBeginsWithAPrefix) {
  const LinkClassNames classes{"", "efa-100g", "nvlink-3.0"};

  EXPECT_TRUE(has_class(classes, "efa-"));
  EXPECT_TRUE(has_class(classes, "nvlink-3.0"));
  EXPECT_FALSE(has_class(classes, "efa-50g"));
  EXPECT_FALSE(has_class(classes, "nvlink-4"));
  EXPECT_FALSE(has_class({}, "efa-"));
}

}  // namespace
}  // namespace ringcast
