#if SharedCache
    extension RedisTier {
        /// Makes a tier on the engine of a URL, as `RedisConfiguration.init(url:environment:)` reads it.
        ///
        /// Does not connect. Throws if the URL is not a configuration, or if a file of it cannot be read.
        public init(url: String, options: RedisTierOptions = RedisTierOptions()) throws {
            var configuration = try RedisConfiguration(url: url)
            configuration.maximumReplyBytes = options.maximumBytes + TierEnvelope.maximumHeader
            self.init(client: try NIORedisClient(configuration), options: options)
        }
    }
#endif
