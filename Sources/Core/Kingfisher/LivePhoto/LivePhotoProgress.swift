/// Sums up the progress of the files of one live photo and reports it while it is needed.
final class LivePhotoProgress: Sendable {
    private let block: SendableProgressBlock
    private let isCurrent: @Sendable () -> Bool
    private let files = Locked<[Int: (received: Int64, total: Int64)]>([:])

    init(_ block: @escaping SendableProgressBlock, isCurrent: @escaping @Sendable () -> Bool) {
        self.block = block
        self.isCurrent = isCurrent
    }

    func part(_ number: Int) -> SendableProgressBlock {
        { [self] received, total in
            guard isCurrent() else { return }
            let sum = files.withLock { files in
                files[number] = (received, total)
                return files.values.reduce((0, 0)) { ($0.0 + $1.received, Self.sum($0.1, $1.total)) }
            }
            block(sum.0, sum.1)
        }
    }

    /// Announced lengths are not trusted: the sum may overflow.
    private static func sum(_ one: Int64, _ other: Int64) -> Int64 {
        let (sum, overflows) = one.addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}
