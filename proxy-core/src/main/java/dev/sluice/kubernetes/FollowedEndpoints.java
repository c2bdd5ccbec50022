package dev.sluice.kubernetes;

import dev.sluice.control.WatchStatus;
import io.fabric8.kubernetes.api.model.Endpoints;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import java.util.List;
import java.util.function.Supplier;

/**
 * The endpoints of all Services, in the one form that is followed.
 *
 * <p>Threads: as of {@link FollowedList}; {@link #slices} and {@link #endpoints} control thread
 * only.
 */
final class FollowedEndpoints {
    private final EndpointApi api;
    private final FollowedList<?> list;
    private final Supplier<List<EndpointSlice>> slices;
    private final Supplier<List<Endpoints>> endpoints;

    private FollowedEndpoints(
            EndpointApi api,
            FollowedList<?> list,
            Supplier<List<EndpointSlice>> slices,
            Supplier<List<Endpoints>> endpoints) {
        this.api = api;
        this.list = list;
        this.slices = slices;
        this.endpoints = endpoints;
    }

    static FollowedEndpoints of(EndpointApi api, ListFollower follower) {
        return switch (api) {
            case SLICES -> {
                FollowedList<EndpointSlice> list =
                        follower.follow(ListedResource.slices(follower.proxyName()));
                yield new FollowedEndpoints(api, list, list::objects, List::of);
            }
            case BETA_SLICES -> {
                var list = follower.follow(ListedResource.betaSlices(follower.proxyName()));
                BetaSlices beta = new BetaSlices();
                yield new FollowedEndpoints(
                        api, list, () -> beta.convert(list.objects()), List::of);
            }
            case ENDPOINTS -> {
                FollowedList<Endpoints> list =
                        follower.follow(ListedResource.endpoints(follower.proxyName()));
                yield new FollowedEndpoints(api, list, List::of, list::objects);
            }
        };
    }

    EndpointApi api() {
        return api;
    }

    FollowedList<?> list() {
        return list;
    }

    List<EndpointSlice> slices() {
        return slices.get();
    }

    List<Endpoints> endpoints() {
        return endpoints.get();
    }

    WatchStatus status() {
        return list.status();
    }
}
