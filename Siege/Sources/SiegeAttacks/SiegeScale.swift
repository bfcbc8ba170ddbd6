/// The counts of each attack and the limits of the server. Memory is in mebibytes, time in seconds.
public struct SiegeScale: Sendable {
    /// The number of requests for a small image that are timed during an attack.
    var innocents = 20
    /// The maximum delay of such a request by a flood of chunks.
    var delay = 0.05
    /// Whether the flood continues until the server ends it.
    var awaitsLimit = true

    var bodyClients = 120
    var bodyMemory = 600.0

    var photoClients = 300
    var photos = 1_000
    var photoMemory = 400.0
    /// Idle seconds after which memory must be released.
    var rest = 60.0

    var pngSide = 10_000
    var pngMemory = 100.0
    var pngMemoryOfEight = 256.0

    var slowHosts = 58
    var slowRequestsPerHost = 6
    var otherHostWait = 1.0
    var silentRequests = 20
    /// Six silent transfers lose their slots after 5 s, six more each second later, all noticed up to half a
    /// second late: 7 to 8.5 s. Without slots that are lost, four rounds of idle timeouts would take 40 s.
    var sameHostWait = 8.5

    /// Requests to a silent host while another host is served, and the requests that measure this.
    var outstandingRequests = 1_100
    var honestRequests = 300
    /// The 99th percentile of their duration, relative to the same without the outstanding requests.
    var honestDelay = 1.5

    var stalledClients = 512
    /// The slowest hit while these clients are connected, in seconds.
    var hitDelay = 1.0
    /// The server's limit for clients that do not read.
    var writeSeconds = 20
    /// The time in addition until all their connections are closed.
    var closingTime = 5.0
    /// While these clients are connected; a copy of the response for each of them would be 3,700.
    var stalledMemory = 150.0

    var leavingClients = 20
    /// Side of the images whose decodes are queued while their clients disconnect.
    var leftPNGSide = 10_000
    var leavingTime = 1.0
    /// CPU time of the server after the decodes that had begun.
    var leftWork = 0.3
    var leftWorkSeconds = 3.0

    /// The time limit of the head and body of a request in the attacks of slow and malformed ones.
    var readSeconds = 10
    var drippingUploads = 200

    var acceptValues = 300

    /// Requests to origins of which a tenth are silent, and the 99th percentile of the others' duration,
    /// relative to the same without silent ones.
    var mixedRequests = 400
    var mixedDelay = 3.0

    var soakRequests = 200_000

    var gifFrames = 9_999
    var gifCPU = 1.0

    /// Full counts, for a release build.
    public static let full = SiegeScale()

    /// Reduced counts for each test run, for a debug build on a busy machine. An unlimited resource exceeds
    /// these limits several times.
    public static let reduced: SiegeScale = {
        var scale = SiegeScale()
        scale.innocents = 4
        scale.delay = 0.8
        scale.awaitsLimit = false
        scale.bodyClients = 40
        scale.bodyMemory = 450
        scale.pngSide = 3_000
        scale.pngMemory = 60
        scale.pngMemoryOfEight = 150
        scale.otherHostWait = 3
        scale.sameHostWait = 9.5
        scale.honestRequests = 50
        scale.honestDelay = 8
        scale.stalledClients = 50
        scale.writeSeconds = 2
        scale.closingTime = 10
        scale.leftPNGSide = 6_000
        scale.leavingTime = 2
        scale.hitDelay = 4
        scale.readSeconds = 2
        scale.drippingUploads = 30
        scale.acceptValues = 60
        scale.mixedRequests = 60
        scale.mixedDelay = 8
        scale.soakRequests = 2_000
        scale.leftWork = 0.7
        scale.leftWorkSeconds = 1.5
        return scale
    }()
}
