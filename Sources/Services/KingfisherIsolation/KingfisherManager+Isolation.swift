public import Kingfisher
import KingfisherImage

extension KingfisherManager {
    /// Makes a manager for servers, as `forServers(cache:memoryBudget:)` does, which decodes files in
    /// locked-down processes.
    ///
    /// - Parameters:
    ///   - isolation: Which formats are isolated.
    ///   - pool: The processes; by default the processes of the program.
    ///   - cache: Where images are stored.
    ///   - memoryBudget: Bytes for bodies and decoding.
    public static func forServers(
        isolation: IsolationPolicy, pool: DecoderPool = .shared,
        cache: ImageCache = ImageCache(name: "server"),
        memoryBudget: Int = serverMemoryBudget
    ) -> KingfisherManager {
        let manager = forServers(cache: cache, memoryBudget: memoryBudget)
        manager.defaultOptions += [.decodingContext(.forServers(isolation: isolation, pool: pool))]
        return manager
    }
}

extension DecodingContext {
    static func forServers(isolation: IsolationPolicy, pool: DecoderPool) -> DecodingContext {
        DecodingContext(
            limits: KingfisherManager.serverImageLimits,
            strategy: DecoderIsolation(policy: isolation, pool: pool), usesIdleCores: false)
    }
}
