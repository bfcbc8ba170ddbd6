#if SharedCache
    import NIOCore

    /// Commands that are written together.
    struct RedisBatch: Sendable {
        var replies: [PendingReply]
    }

    /// Writes commands, and matches replies to them in order. Runs on the event loop of its channel.
    ///
    /// If bytes are malformed, or a node exceeds the ``ReplyTimeouts``, all waiting commands fail and the
    /// channel is closed.
    final class RedisChannelHandler: ChannelDuplexHandler {
        typealias InboundIn = ByteBuffer
        typealias InboundOut = Never
        typealias OutboundIn = RedisBatch
        typealias OutboundOut = ByteBuffer

        private let responseTimeout: Duration
        /// Called with the number of commands that have ended.
        private let ended: @Sendable (Int) -> Void
        /// Called once, if the channel fails after its first reply while commands wait.
        private let failed: @Sendable (RedisError) -> Void
        private var parser: RESPParser
        private var replies: [RESPValue] = []
        private var pending: CircularBuffer<PendingReply> = []
        private var failure: RedisError?
        private var isReady = false
        /// For the first reply, which ends the handshake of TLS and authentication, of the connect timeout.
        private var timeouts: ReplyTimeouts
        private var timer: Scheduled<Void>?

        init(
            limits: RESPParser.Limits, connectTimeout: Duration, responseTimeout: Duration,
            ended: @escaping @Sendable (Int) -> Void, failed: @escaping @Sendable (RedisError) -> Void
        ) {
            parser = RESPParser(limits)
            timeouts = ReplyTimeouts(response: connectTimeout, at: .now)
            self.responseTimeout = responseTimeout
            self.ended = ended
            self.failed = failed
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            let batch = unwrapOutboundIn(data)
            guard failure == nil else {
                for reply in batch.replies { reply.complete(.failure(failure ?? .closed)) }
                promise?.fail(ChannelError.ioOnClosedChannel)
                return ended(batch.replies.count)
            }
            if pending.isEmpty { timeouts.begin(at: .now) }
            var buffer = context.channel.allocator.buffer(
                capacity: batch.replies.reduce(0) { $0 + $1.bytes.count })
            for reply in batch.replies {
                buffer.writeBytes(reply.bytes)
                pending.append(reply)
            }
            context.write(wrapOutboundOut(buffer), promise: promise)
            startTimer(context)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard failure == nil else { return }
            let buffer = unwrapInboundIn(data)
            let completed = parser.completed
            var malformed: RESPError?
            do throws(RESPError) {
                try buffer.withUnsafeReadableBytes { bytes throws(RESPError) in
                    try parser.parse(bytes, into: &replies)
                }
            } catch {
                malformed = error
            }
            timeouts.receive(
                buffer.readableBytes, completed: parser.completed > completed, isReply: !replies.isEmpty,
                isUnfinished: parser.isUnfinished, at: .now)
            deliver(context)
            if let malformed { return fail(.malformedReply("\(malformed)"), context) }
            if failure == nil { startTimer(context) }
        }

        private func deliver(_ context: ChannelHandlerContext) {
            guard !replies.isEmpty else { return }
            for value in replies {
                guard let reply = pending.popFirst() else {
                    fail(.malformedReply("unexpected reply"), context)
                    break
                }
                // First, because the caller may send the next command at once.
                ended(1)
                reply.complete(Self.result(value))
            }
            replies.removeAll(keepingCapacity: true)
            if !isReady { becomeReady() }
        }

        private func becomeReady() {
            isReady = true
            timeouts.response = responseTimeout
            timer?.cancel()
            timer = nil
        }

        private static func result(_ value: RESPValue) -> ReplyResult {
            if case .error(let text) = value { .failure(.server(text)) } else { .success(value) }
        }

        func channelWritabilityChanged(context: ChannelHandlerContext) {
            timeouts.canWrite(at: .now)
            context.fireChannelWritabilityChanged()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            fail(.unreachable("\(error)"), context)
        }

        func channelInactive(context: ChannelHandlerContext) {
            fail(.unreachable("closed by the node"), context)
            context.fireChannelInactive()
        }

        private func fail(_ error: RedisError, _ context: ChannelHandlerContext) {
            guard failure == nil else { return }
            failure = error
            timer?.cancel()
            let waiting = Array(pending)
            pending.removeAll()
            // An idle connection may be closed. The failure counts before the callers can send again.
            if isReady, !waiting.isEmpty { failed(error) }
            context.close(promise: nil)
            ended(waiting.count)
            for reply in waiting { reply.complete(.failure(error)) }
        }

        /// One timer for all commands and pushes, started again while some wait.
        private func startTimer(_ context: ChannelHandlerContext) {
            guard timer == nil, let due = timeouts.due(isWaiting: !pending.isEmpty) else { return }
            let delay = TimeAmount(max(.zero, due - ContinuousClock.now))
            timer = context.eventLoop.assumeIsolated().scheduleTask(in: delay) { [self] in
                timer = nil
                guard failure == nil, let due = timeouts.due(isWaiting: !pending.isEmpty) else { return }
                if ContinuousClock.now >= due { fail(.timedOut, context) } else { startTimer(context) }
            }
        }
    }
#endif
