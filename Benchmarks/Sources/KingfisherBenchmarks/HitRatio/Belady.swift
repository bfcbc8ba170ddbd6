/// The optimal cache with knowledge of the future: evicts the image whose next request is farthest away, and
/// stores no image that is never requested again (Belady, 1966).
///
/// For images of different sizes this is not an exact bound, but its cost is within 1 % of the best known
/// result.
struct Belady: Replay {
    private struct Stored {
        let next: Int
        let image: Int32
    }

    private let capacity: Int
    private let nextRequests: [Int]
    private var time = 0
    private var stored = 0
    /// The next request of each stored image; -1 if it is not stored.
    private var nexts: [Int]
    private let sizes: [Int]
    /// A heap with the farthest request on top; items that differ from `nexts` are skipped.
    private var heap: [Stored] = []

    init(capacity: Int, trace: Trace) {
        self.capacity = capacity
        sizes = trace.sizes
        nexts = Array(repeating: -1, count: trace.sizes.count)
        var later = [Int](repeating: .max, count: trace.sizes.count)
        var nextRequests = [Int](repeating: .max, count: trace.requests.count)
        for index in trace.requests.indices.reversed() {
            nextRequests[index] = later[Int(trace.requests[index])]
            later[Int(trace.requests[index])] = index
        }
        self.nextRequests = nextRequests
    }

    mutating func request(_ image: Int32, size: Int) -> Bool {
        let next = nextRequests[time]
        time += 1
        let isHit = nexts[Int(image)] >= 0
        if isHit {
            stored -= size
            nexts[Int(image)] = -1
        }
        guard next != .max, size <= capacity else { return isHit }
        stored += size
        nexts[Int(image)] = next
        push(Stored(next: next, image: image))
        while stored > capacity {
            let farthest = pop()
            guard nexts[Int(farthest.image)] == farthest.next else { continue }
            nexts[Int(farthest.image)] = -1
            stored -= sizes[Int(farthest.image)]
        }
        return isHit
    }

    private mutating func push(_ item: Stored) {
        heap.append(item)
        var position = heap.count - 1
        while position > 0, heap[(position - 1) / 2].next < item.next {
            heap[position] = heap[(position - 1) / 2]
            position = (position - 1) / 2
        }
        heap[position] = item
    }

    private mutating func pop() -> Stored {
        let top = heap[0]
        let item = heap.removeLast()
        guard !heap.isEmpty else { return top }
        var position = 0
        while true {
            var child = 2 * position + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].next > heap[child].next { child += 1 }
            guard heap[child].next > item.next else { break }
            heap[position] = heap[child]
            position = child
        }
        heap[position] = item
        return top
    }
}
