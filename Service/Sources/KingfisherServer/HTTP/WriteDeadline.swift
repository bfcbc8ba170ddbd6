import NIOCore

/// Closes a connection whose client takes no byte of a response for a time.
///
/// Each client that does not read holds a response in memory, and the kernel holds what it has buffered, so
/// the connection is reset.
final class WriteDeadline: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny
    typealias OutboundIn = NIOAny

    private let limit: TimeAmount
    private let didRefuse: @Sendable (ServerMetrics.Refusal) -> Void
    /// The number of unsent bytes at the last check; nil while there are none.
    private var unsent: Int?
    private var lastProgress = NIODeadline.now()

    init(_ limit: TimeAmount, didRefuse: @escaping @Sendable (ServerMetrics.Refusal) -> Void) {
        (self.limit, self.didRefuse) = (limit, didRefuse)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        if unsent == nil { check(context.channel) }
    }

    /// Called when nearly everything was sent, possibly before the next response.
    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { lastProgress = .now() }
        context.fireChannelWritabilityChanged()
    }

    private func check(_ channel: any Channel) {
        let count = (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        if count < unsent ?? .max { lastProgress = .now() }
        unsent = count > 0 && channel.isActive ? count : nil
        guard unsent != nil else { return }
        guard NIODeadline.now() - lastProgress < limit else {
            didRefuse(.writeDeadline)
            return channel.reset()
        }
        let interval = TimeAmount.nanoseconds(limit.nanoseconds / 10)
        channel.eventLoop.assumeIsolated().scheduleTask(in: interval) { self.check(channel) }
    }
}
